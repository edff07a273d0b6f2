import CivilTime
import Notices
import Testing

/// P5, P6: what a person has switched off since a job was emitted is asked for once more right before it is sent.
@Suite("What stands against a job since it was emitted")
struct StopsTests {
    private static let policy = """
        {"name":"p","kinds":[
          {"name":"note","on_request":true,"subtypes":[{"name":"praise"},{"name":"blame"}]},
          {"name":"bill","on_request":true,"locked":true,"required_channels":["push"],
           "subtypes":[{"name":"due","locked":true},{"name":"tip","locked":false}]},
          {"name":"daily_digest","digest":"daily","schedule":{"on":"daily","at":"18:00"}}]}
        """

    private func topic(_ kind: String = "note", _ subjects: [String] = [], _ subtype: String? = nil) -> JobTopic {
        var topic = JobTopic(kind: kind)
        (topic.subjects, topic.subtype) = (subjects, subtype)
        return topic
    }

    private func stops(_ patch: String, _ topic: JobTopic) -> Stops {
        var found = Stops()
        given(.enrolled(), .wants(patch), policy: Self.policy).contact(about: topic) { found = $0.stops }
        return found
    }

    @Test(arguments: [
        (#"{"subjects":{"child:lea":{"kinds":{"note":{"enabled":false}}}}}"#, "child:lea"),
        (#"{"goals":{"g1":{"kinds":{"note":{"enabled":false}}}}}"#, "goal:g1"),
        (#"{"subjects":{"goal:g1":{"kinds":{"note":{"enabled":false}}}}}"#, "goal:g1"),
    ])
    func `a goal or a subject is off for what is about it alone`(patch: String, subject: String) {
        #expect(stops(patch, topic("note", [subject])).reason == .subject)
        #expect(stops(patch, topic("note", ["child:mia"])).reason == nil)
        #expect(stops(patch, topic("note")).reason == nil)
        #expect(stops(patch, topic("note", [subject, "child:mia"])).reason == nil, "one of them may still go")
        #expect(stops(patch, topic("bill", [subject])).reason == nil)
    }

    @Test func `a sort is off in general, or for one subject`() {
        let general = #"{"kinds":{"note":{"subtypes":{"praise":false}}}}"#
        #expect(stops(general, topic("note", [], "praise")).reason == .subtype)
        #expect(stops(general, topic("note", [], "blame")).reason == nil)
        #expect(stops(general, topic("note")).reason == nil)
        let ofLea = #"{"subjects":{"child:lea":{"kinds":{"note":{"subtypes":{"praise":false}}}}}}"#
        #expect(stops(ofLea, topic("note", ["child:lea"], "praise")).reason == .subtype)
        #expect(stops(ofLea, topic("note", ["child:mia"], "praise")).reason == nil)
    }

    @Test func `a goal's own channels are those of what is about it`() {
        let patch = #"{"goals":{"g1":{"kinds":{"note":{"channels":["email"]}}}}}"#
        #expect(stops(patch, topic("note", ["goal:g1"])).channels.contains(.push))
        #expect(!stops(patch, topic("note", ["goal:g2"])).channels.contains(.push))
        #expect(!stops(patch, topic("note", ["goal:g1", "goal:g2"])).channels.contains(.push))
        #expect(!stops(patch, topic("note")).channels.contains(.push))
    }

    @Test func `a goal's own channels are those of what is about it and something else besides (P19)`() {
        let patch = #"{"goals":{"g1":{"kinds":{"note":{"channels":["email"]}}}}}"#
        var some = topic("note")
        some.subjectsOfSome = ["goal:g1"]
        #expect(stops(patch, some).channels.isDisjoint(with: [.push, .email]))
    }

    @Test func `what is locked goes, and a part that is not locked is theirs to switch off (P14)`() {
        #expect(stops(#"{"enabled":false}"#, topic("bill", [], "due")).isLocked)
        #expect(stops(#"{"enabled":false}"#, topic("bill")).isLocked)
        #expect(stops(#"{"enabled":false}"#, topic("bill", [], "tip")).reason == .everything)
    }

    @Test func `without consent nothing goes that is not locked (P3)`() {
        let minors = Self.policy.replacing(#""name":"p","#, with: #""name":"p","consent":"guardian_for_minors","#)
        let minor = given(.enrolled("UTC", #""minor":true"#), .consent(by: "guardian"), policy: minors)
        minor.contact(about: topic()) { #expect($0.stops.reason == nil) }
        minor.when(.noConsent(by: "guardian"), at: "2026-03-01T12:01Z")
        minor.contact(about: topic()) { #expect($0.stops.reason == .consent) }
        minor.contact(about: topic("bill", [], "due")) { #expect($0.stops.reason == nil) }
        minor.when(.wants(#"{"enabled":false}"#), at: "2026-03-01T12:02Z")
        minor.contact(about: topic()) { #expect($0.stops.reason == .consent, "which is not theirs to mend") }
    }

    /// Whoever chose a channel for the kind gets it on no other.
    @Test func `a channel that was not chosen for the kind takes no other's place (N4)`() {
        let mail = Told("contact_changed", #"{"email":"anna@example.org"}"#)
        for (patch, isSpare) in [("{}", true), (#"{"kinds":{"note":{"channels":["sms"]}}}"#, false)] {
            given(.enrolled(), mail, .wants(patch), policy: Self.policy)
                .contact(about: topic()) { #expect($0.channels.contains(.email) == isSpare) }
        }
    }

    @Test func `quiet hours hold for what may not ring in them (P8, P14)`() throws {
        let hours = #"{"quiet_hours":{"enabled":true,"start":"11:00","end":"13:30"}}"#
        func quiet(_ topic: JobTopic, _ patch: String) -> Range<Instant>? {
            var found: Range<Instant>?
            given(.enrolled(), .wants(patch), policy: Self.policy).contact(about: topic) { found = $0.quiet }
            return found
        }
        // It is noon.
        let span = try #require(quiet(topic(), hours))
        #expect("\(span.lowerBound) \(span.upperBound)" == "2026-03-01T11:00:00.000Z 2026-03-01T13:30:00.000Z")
        #expect(quiet(topic(), hours.replacing("11:00", with: "12:30")) == nil)
        #expect(quiet(topic("bill", [], "due"), hours) == nil)
        #expect(quiet(topic("bill", [], "tip"), hours) != nil)
        #expect(quiet(topic(), hours.replacing(#""start""#, with: #""exceptions":["note"],"start""#)) == nil)
        var critical = topic()
        critical.priority = .critical
        #expect(quiet(critical, hours) == nil)
        var repeated = topic()
        repeated.isAskedFor = true
        #expect(quiet(repeated, hours) == span, "unless it was asked for in those hours, which the courier sees")
        for (start, isHeldUp) in [("12:00", false), ("11:59", false), ("11:58", true)] {
            #expect(
                (quiet(repeated, hours.replacing("11:00", with: start)) != nil) == isHeldUp,
                "what takes a minute is on time")
        }
        given(.enrolled(), .wants(hours.replacing("11:00", with: "11:59")), policy: Self.policy)
            .later(at: justAfter("2026-03-01T12:00Z")).contact(about: repeated) { #expect($0.quiet != nil) }
    }

    @Test func `what came before the hours or the zone were changed was not let through in them (P8, T9)`() {
        let hours = #"{"quiet_hours":{"enabled":true,"start":"11:00","end":"13:30"}}"#
        let anna = given(.enrolled(), .wants(hours), policy: Self.policy)
        func end(_ sequence: UInt64, at text: String = "2026-03-01T12:00Z") -> String? {
            var end: Instant?
            anna.contact(about: topic()) { end = $0.endOfQuiet(for: sequence, at: Instant(local: text)) }
            return end.map { "\($0)" }
        }
        func lastChange() -> UInt64 {
            var by: UInt64 = 0
            anna.contact(about: topic()) { by = $0.quietBy }
            return by
        }
        // It is noon; somebody has forced a run since.
        let first = lastChange()
        #expect(end(first - 1) == "2026-03-01T13:30:00.000Z")
        #expect(end(first + 1) == nil)
        #expect(end(first + 1, at: "2026-03-01T10:59Z") == "2026-03-01T13:30:00.000Z")
        #expect(end(first + 1, at: justBefore("2026-03-01T11:00Z")) == "2026-03-01T13:30:00.000Z")
        #expect(end(first + 1, at: "2026-03-01T11:00Z") == nil)
        anna.when(.wants(#"{"digest_mode":true}"#), at: "2026-03-01T12:01Z")
        anna.when(.wants(hours), at: "2026-03-01T12:02Z")
        #expect(lastChange() == first, "what is said once more is no change")
        anna.when(.wants(hours.replacing("13:30", with: "13:45")), at: "2026-03-01T12:03Z")
        let second = lastChange()
        #expect(end(second - 1) == "2026-03-01T13:45:00.000Z" && end(second + 1) == nil)
        anna.when(.wants(#"{"quiet_hours":{"exceptions":["critical"]}}"#), at: "2026-03-01T12:04Z")
        let third = lastChange()
        #expect(third > second)
        // There it is after one.
        anna.when(.moved(to: "Europe/Paris"), at: "2026-03-01T12:05Z")
        let fourth = lastChange()
        #expect(fourth > third)
        #expect(end(fourth - 1) == "2026-03-01T12:45:00.000Z" && end(fourth + 1) == nil)
        anna.when(.reset, at: "2026-03-01T12:06Z")
        #expect(lastChange() > fourth)
        given(.enrolled(), policy: Self.policy).when(.moved(to: "Europe/Paris"), at: justAfter("2026-03-01T12:00Z"))
            .contact(about: topic()) { #expect($0.quietBy > 0, "a moment after the person came is no coming") }
    }

    @Test func `nor what came before the policy that sets them`() {
        let anna = given(.enrolled(), policy: Self.policy)
        let other = Self.policy.replacing(
            "\"kinds\"", with: #""preferences":{"quiet_hours":{"start":"11:00"}},"kinds""#)
        anna.when(.adopts(other), at: "2026-03-01T12:01Z")
        for (text, isLetThrough) in [(justBefore("2026-03-01T12:01Z"), false), ("2026-03-01T12:01Z", true)] {
            anna.contact(about: topic()) {
                #expect(($0.endOfQuiet(for: 1000, at: Instant(local: text)) == nil) == isLetThrough)
            }
        }
    }

    @Test func `a channel that the pipeline never saw rings when the first could have (N4, P8, P9, P14, S1)`() {
        let hours = #"{"quiet_hours":{"enabled":true,"start":"11:00","end":"13:30"}}"#
        let open = #"{"quiet_hours":{"enabled":false}}"#
        // It is noon of a Sunday.
        let closed = open.replacing("false}", with: #"false},"schedule":{"mon":[["09:00","17:00"]]}"#)
        func isQuiet(_ topic: JobTopic, _ patch: String, _ policy: String = Self.policy) -> Bool? {
            var found: Bool?
            given(.enrolled(), .wants(patch), policy: policy).contact(about: topic) { found = $0.isQuiet }
            return found
        }
        #expect([hours, closed, open].map { isQuiet(topic(), $0) } == [true, true, false])
        #expect(isQuiet(topic("bill", [], "tip"), hours) == true)
        var (critical, repeated, high) = (topic(), topic(), topic())
        critical.priority = .critical
        repeated.isAskedFor = true
        for exempt in [topic("bill", [], "due"), critical, repeated] {
            #expect([hours, closed].map { isQuiet(exempt, $0) } == [false, false], "\(exempt)")
        }
        // Exceptions open quiet hours, and no weekly schedule.
        let exceptions = #""exceptions":["note"],"start""#
        #expect(isQuiet(topic(), hours.replacing(#""start""#, with: exceptions)) == false)
        let both = hours.replacing(#""start""#, with: exceptions)
            .replacing("}}", with: #"},"schedule":{"mon":[["09:00","17:00"]]}}"#)
        #expect(isQuiet(topic(), both) == true)
        high.priority = .high
        let pass = Self.policy.replacing(#""name":"p","#, with: #""name":"p","quiet_pass":"high","#)
        #expect(isQuiet(high, hours) == true && isQuiet(high, hours, pass) == false)
        #expect(isQuiet(topic(), hours, pass) == true)
    }

    @Test func `a digest that is off tells what was gathered all the same (D5)`() {
        #expect(stops(#"{"kinds":{"daily_digest":{"enabled":false}}}"#, topic("daily_digest")).reason == nil)
    }

    @Test func `a job is about what all its notices are about`() {
        var job = JobEmitted()
        job.kind = Identifier("note")
        job.priority = .medium
        job.subject = Identifier("child:lea")
        job.data["subtype"] = Text("praise")
        job.notices = [NoticeName("anna/note/child:lea/#1")]
        job.job = NoticeName("anna/note/child:lea/#1")
        func named(_ topic: JobTopic) -> JobTopic {
            var named = topic
            named.job = "anna/note/child:lea/#1"
            return named
        }
        #expect(JobTopic(job) == named(topic("note", ["child:lea"], "praise")))
        job.subject = nil
        job.notices = [NoticeName("anna/note/goal:a/#1"), NoticeName("anna/note/goal:b/#2")]
        #expect(JobTopic(job) == named(topic("note", ["goal:a", "goal:b"])))
        job.notices.append(NoticeName("anna/note/#3"))
        var some = named(topic("note"))
        some.subjectsOfSome = ["goal:a", "goal:b"]
        #expect(JobTopic(job) == some, "one of them is about nothing that could be off")
    }
}
