import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// N6: what a link, a STOP or a complaint says is a change of preferences.
@Suite("N6, unsubscribing")
struct UnsubscribedTests {
    private static let mail = #""email":"anna@example.com""#

    private static func stops(_ channel: String, _ kind: String? = nil, how: String = "link") -> Told {
        let of = kind.map { ",\"kind\":\"\($0)\"" } ?? ""
        return Told("unsubscribed", "{\"channel\":\"\(channel)\"\(of),\"how\":\"\(how)\"}")
    }

    private static func complains(_ job: String) -> Told {
        Told("delivery_reported", "{\"job\":\"anna/\(job)\",\"channel\":\"email\",\"status\":\"complained\"}")
    }

    @Test func `a channel is off for a kind, and for its goals, and the preset is custom`() {
        let own = #"{"goals":{"g1":{"kinds":{"goal_reminder":{"channels":["push","email"]}}}}}"#
        given(.enrolled("UTC", Self.mail), .preset("balanced"), .wants(own), policy: "goals")
            .when(Self.stops("push", "goal_reminder"), at: "2026-03-02T12:00Z").unwatched(until: "2026-03-02T12:00Z")
            .person { anna in
                #expect(anna.details.preset == "custom")
                let kinds = anna.details.differences["kinds"]?["goal_reminder"]?["channels"]
                #expect(kinds.map { !$0.text.contains("push") } ?? false)
                let goal = anna.details.differences["goals"]?["g1"]?["kinds"]?["goal_reminder"]?["channels"]
                #expect(goal == .array([.string("email")]))
            }
    }

    @Test func `a channel is off for all kinds, and a locked one goes all the same`() {
        given(.enrolled("UTC", Self.mail), policy: "goals")
            .when(Self.stops("email"), .requested("payment"), at: "2026-03-02T12:00Z")
            .then("emitted payment/#3 [push, email]")
            .person {
                #expect($0.details.differences == .object([.init("channels", .object([.init("email", .bool(false))]))]))
            }
    }

    @Test func `twice changes nothing, and neither does what is off already`() {
        given(.enrolled(), .preset("all"), Self.stops("sms"), policy: "goals")
            .person { #expect($0.details.preset == "all") }
        // What is a change makes a preset custom.
        given(.enrolled("UTC", Self.mail), Self.stops("email"), .preset("all"), policy: "goals")
            .person { #expect($0.details.preset == "all" && !$0.preferences.channels.contains(.email)) }
            .when(Self.stops("email"), at: "2026-03-02T12:00Z")
            .person { #expect($0.details.preset == "all" && !$0.preferences.channels.contains(.email)) }
    }

    private static let givingWay = """
        {"name":"p","fallback":true,"consent":"none","kinds":[
          {"name":"note","on_request":true,"channels":["push"]},{"name":"other","on_request":true,"channels":["push"]},
          {"name":"both","on_request":true,"channels":["push","email"]}]}
        """

    /// About a mail from before they gave the address, or asked for mail again, it is forgiven: to the millisecond.
    @Test(
        arguments: [
            Told("contact_changed", #"{"email":"anna@example.org"}"#), Told("contact_changed", "{\(mail)}"),
            .wants(#"{"channels":{"email":true}}"#),
        ], [("08:59:59.999", true), ("09:00:00.000", true), ("09:00:00.001", false)])
    func `a complaint counts for what they had asked for by then`(told: Told, given: (time: String, counts: Bool)) {
        let scenario = WorkerTests.given(
            .enrolled("UTC", Self.mail), .wants(#"{"channels":{"email":false}}"#), policy: Self.givingWay)
        scenario.when(.wants(#"{"channels":{"email":true}}"#), at: "2026-03-01T12:00Z")
        scenario.when(.wants(#"{"channels":{"email":false}}"#), at: "2026-03-01T13:00Z")
        let isMail = told.type == "contact_changed"
        if isMail { scenario.when(.wants(#"{"channels":{"email":true}}"#), at: "2026-03-01T14:00Z") }
        let (job, at) = ("2026-03-02T09:00Z", "2026-03-02T\(given.time)Z")
        if given.counts { scenario.when(told, at: at).when(.requested("note"), at: job) }
        if !given.counts { scenario.when(.requested("note"), at: job).when(told, at: at) }
        var name = ""
        scenario.unwatched(until: "2026-03-02T09:30Z").job { name = String($0.job.text.dropFirst("anna/".count)) }
        scenario.when(Self.complains(name), at: "2026-03-02T10:00Z")
            .contact(about: "note") { #expect($0.channels.contains(.email) != given.counts) }
    }

    /// A kind that begins with push alone has no mail that its preferences could switch off, and gives way to it (N4).
    @Test func `mail that was stopped for a kind comes in place of nothing either`() {
        given(.enrolled("UTC", Self.mail), .opensApp, policy: Self.givingWay)
            .contact(about: "note") { #expect($0.channels.contains(.email) && !$0.stops.channels.contains(.email)) }
            .when(Self.stops("email", "note"), at: "2026-03-02T09:00Z")
            .contact(about: "note") { #expect(!$0.channels.contains(.email) && $0.stops.channels.contains(.email)) }
            .contact(about: "note") { #expect($0.channels.contains(.push) && !$0.stops.channels.contains(.push)) }
            .contact(about: "other") { #expect($0.channels.contains(.email) && !$0.stops.channels.contains(.email)) }
            // Nothing of it is a difference of their preferences.
            .person { #expect($0.details.differences == .emptyObject && $0.details.preset == nil) }
    }

    @Test(arguments: [
        (#"{"kinds":{"note":{"channels":["push","email"]}}}"#, true), (#"{"kinds":{"note":null}}"#, true),
        (#"{"kinds":null}"#, true), (#"{"kinds":{"note":{"channels":null}}}"#, true),
        (#"{"goals":{"g":{"kinds":{"note":{"channels":["email"]}}}}}"#, true),
        (#"{"kinds":{"note":{"channels":["push"]}}}"#, false), (#"{"kinds":{"note":{"enabled":true}}}"#, false),
        (#"{"kinds":{"other":{"channels":["push","email"]}}}"#, false), (#"{"channels":{"email":true}}"#, false),
    ])
    func `until they put it back for that kind`(patch: String, isBack: Bool) {
        given(.enrolled("UTC", Self.mail), Self.stops("email", "note"), .wants(patch), policy: Self.givingWay)
            .contact(about: "note") { #expect($0.stops.channels.contains(.email) == !isBack) }
    }

    @Test func `or switch mail on again for everything`() {
        given(.enrolled("UTC", Self.mail), Self.stops("email", "note"), policy: Self.givingWay)
            .when(.wants(#"{"channels":{"email":false}}"#), at: "2026-03-02T09:00Z")
            .person { #expect($0.details.stopped.count == 1) }
            .when(.wants(#"{"channels":{"email":true}}"#), at: "2026-03-02T10:00Z")
            .contact(about: "note") { #expect(!$0.stops.channels.contains(.email) && $0.channels.contains(.email)) }
    }

    @Test func `or all; and they may stop it again`() {
        given(.enrolled("UTC", Self.mail), Self.stops("email", "note"), policy: Self.givingWay)
            .when(Told("preferences_reset", "{}"), at: "2026-03-02T10:00Z")
            .contact(about: "note") { #expect(!$0.stops.channels.contains(.email) && $0.channels.contains(.email)) }
            .when(Self.stops("email", "note"), at: "2026-03-02T11:00Z")
            .contact(about: "note") { #expect($0.stops.channels.contains(.email) && !$0.channels.contains(.email)) }
    }

    @Test func `of a kind with mail of its own it holds where mail was put back by hand and taken away`() {
        given(
            .enrolled("UTC", Self.mail), .wants(#"{"kinds":{"note":{"channels":["push","email"]}}}"#),
            Self.stops("email", "note"), policy: Self.givingWay
        )
        // Their preferences are the policy's again, which says nothing of mail.
        .person { #expect($0.details.differences == .emptyObject) }
        .contact(about: "note") { #expect($0.stops.channels.contains(.email) && !$0.channels.contains(.email)) }
    }

    @Test func `what is held is considered again`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#3 until 2026-03-03T08:00Z quiet_hours")
            .when(Self.stops("push", "reminder", how: "one_click"), at: "2026-03-02T23:30Z")
            .then("dropped reminder/#3 no_channel")
    }

    @Test func `a complaint stops mail, unless the mail is older than their wish for mail`() {
        let onMail = Told.wants(#"{"kinds":{"reminder":{"channels":["email"]}}}"#)
        given(.enrolled("UTC", Self.mail), .noCheckIns, onMail)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [email]")
            .when(Self.complains("reminder/#4"), .requested("reminder"), at: "2026-03-02T10:00Z")
            .then("dropped reminder/#7 no_channel")
            .when(.wants(#"{"channels":{"email":true}}"#), Self.complains("reminder/#4"), at: "2026-03-02T11:00Z")
            .when(.requested("reminder"), at: "2026-03-02T12:00Z").then("emitted reminder/#11 [email]")
    }

    /// She leaves the list at the provider, asks for mail again or gives another address, and only then does the provider's word come.
    @Test(
        arguments: [
            (Told("contact_changed", #"{"email":"anna@example.org"}"#), false),
            (Told.wants(#"{"channels":{"email":true}}"#), true),
        ],
        // A whole second may be any moment of it.
        [
            ("10:19:59.000", true), ("10:20:00.000", false), ("10:20:00.499", true), ("10:20:00.500", false),
            ("", false),
        ])
    func `a provider's word of before their last is no news (N3)`(
        last: (told: Told, isOff: Bool), said: (time: String, isOld: Bool)
    ) throws {
        var (decider, events) = (Decider(Register(ShippedPlans["standard"]), nextSequence: 1), [Event]())
        try decider.hear(.enrolled("UTC", Self.mail), at: "09:00", into: &events)
        if last.isOff { try decider.hear(.wants(#"{"channels":{"email":false}}"#), at: "09:50", into: &events) }
        try decider.hear(last.told, at: "10:20:00.500", into: &events)
        var word = Unsubscribed()
        (word.channel, word.how) = (.email, .stop)
        // Not every provider says when.
        let at = said.time.isEmpty ? nil : Instant(local: "2026-03-02T\(said.time)Z")
        let report = Fact(user: "anna", id: "sendgrid:1", at: at, payload: .unsubscribed(word))
        let count = events.count
        do throws(FieldError) {
            _ = try decider.take(report, at: Instant(local: "2026-03-02T11:00Z"), isOwn: true, into: &events)
            #expect(!said.isOld)
        } catch {
            #expect(said.isOld && "\(error)" == "channel: was asked for again since")
        }
        #expect((events.count == count) == said.isOld)
        #expect(decider.register.people[0].preferences.channels.contains(.email) == said.isOld)
        // What they say themselves is said now.
        word.how = .oneClick
        let link = Fact(user: "anna", at: Instant(local: "2026-03-02T10:00Z"), payload: .unsubscribed(word))
        _ = try decider.take(link, at: Instant(local: "2026-03-02T11:01Z"), into: &events)
        #expect(!decider.register.people[0].preferences.channels.contains(.email))
    }

    private static func adoptsMail(isOn: Bool) -> Told {
        .adopts(
            #"{"name":"q","preferences":{"channels":{"email":\#(isOn)}},"kinds":[{"name":"note","on_request":true}]}"#)
    }

    /// Her app tells what it knows of her with every start, and what a policy switches on she has not asked for.
    @Test(arguments: [
        [Told("contact_changed", #"{"email":"anna@example.com"}"#)], [Told.enrolled("UTC", Self.mail)],
        [Self.adoptsMail(isOn: false), Self.adoptsMail(isOn: true)],
    ])
    func `an address told once more outdates no provider's word, nor does a policy (N3)`(told: [Told]) throws {
        var (decider, events) = (Decider(Register(ShippedPlans["standard"]), nextSequence: 1), [Event]())
        try decider.hear(.enrolled("UTC", Self.mail), at: "09:00", into: &events)
        for fact in told { try decider.hear(fact, at: "10:00:05", into: &events) }
        #expect(decider.register.people[0].preferences.channels.contains(.email))
        var word = Unsubscribed()
        (word.channel, word.how) = (.email, .stop)
        let report = Fact(
            user: "anna", id: "sendgrid:1", at: Instant(local: "2026-03-02T10:00Z"), payload: .unsubscribed(word))
        _ = try decider.take(report, at: Instant(local: "2026-03-02T10:05Z"), isOwn: true, into: &events)
        #expect(!decider.register.people[0].preferences.channels.contains(.email))
    }

    @Test func `only a kind there is, or was, and a channel that is a person's to choose`() {
        given(.enrolled())
            .refuses(
                Self.stops("email", "remindre"), at: "2026-03-02T09:00Z",
                "data.kind: \"remindre\" is not a kind of this policy; did you mean reminder?"
            )
            .refuses(
                Self.stops("in_app"), at: "2026-03-02T09:00Z",
                "data.channel: in_app is not a person's to switch off (allowed: push, email, sms)")
    }

    /// Whoever texts START with texts on has nothing to take back, and their story is not read for it.
    @Test func `the card says whether texts are on`() {
        let anna = given(.enrolled())
        anna.person { #expect(!PersonCard($0).hasTextsOn) }
        anna.when(.wants(#"{"channels":{"sms":true}}"#), at: "2026-03-02T09:00Z").person {
            #expect(PersonCard($0).hasTextsOn)
        }
        anna.when(Told("unsubscribed", #"{"channel":"sms","how":"stop"}"#), at: "2026-03-02T09:01Z").person {
            #expect(!PersonCard($0).hasTextsOn)
        }
    }
}

extension Decider {
    /// What is told at a time of that Monday.
    fileprivate mutating func hear(_ told: Told, at time: String, into events: inout [Event]) throws {
        let reader = FactReader(zoneProblem: ShippedPlans.zones.problem(with:))
        let at = Instant(local: "2026-03-02T\(time)Z")
        _ = try take(try reader.read(told.line(at: at.description)), at: at, into: &events)
    }
}
