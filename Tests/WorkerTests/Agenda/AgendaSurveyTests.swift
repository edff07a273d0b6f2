import CivilTime
import Notices
import Simulation
import Testing
import Worker

@Suite("What the next hours hold (V1)")
struct AgendaSurveyTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    /// What a survey keeps is what wakes are for: the first matter of everybody is their next wake.
    @Test(arguments: Batch.all.prefix(5))
    func `the first that is due for anybody is what their wake is set for`(batch: Batch) {
        for history in batch.histories {
            var register = Register(history.plan)
            for (place, event) in history.events.enumerated() {
                register.fold(event)
                guard place.isMultiple(of: 7), let user = event.user, let number = register.number(of: user) else {
                    continue
                }
                let person = register[number]
                let wake = person.earliestWake(register.plan)
                let first = person.due(through: .distantFuture, register.plan, most: 3).first
                #expect(
                    (first?.at ?? .distantFuture) == wake,
                    "\(history.recipe.policy), seed \(history.recipe.seed), \(user) after \(event.seq)")
            }
        }
    }

    private func register(_ people: Int, _ now: Instant) throws -> Register {
        var register = Register(ShippedPlans["standard"])
        for number in 0..<people {
            let user = "u\(number)"
            var enrolled = UserEnrolled()
            enrolled.timezone = ZoneName(number.isMultiple(of: 2) ? "Europe/Paris" : "Etc/UTC")
            register.fold(
                Event(seq: UInt64(number + 1), at: now, user: user, payload: .userEnrolled(enrolled)))
        }
        for person in register.people { person.nextWake = person.earliestWake(register.plan) }
        return register
    }

    @Test func `slots are counted by kind in the hour they fall in, in pieces or at once`() throws {
        let now = try Instant(rfc3339: "2026-03-01T20:00:00Z")
        let register = try register(100, now)
        var whole = AgendaSurvey(.init(from: now, hours: 24, stepMinutes: 60))
        whole.go(through: register, until: { false })
        #expect(whole.isDone && whole.buckets.count == 24)
        let busy = whole.buckets.filter { !$0.kinds.isEmpty }
        #expect(busy.map { "\($0.at)" } == ["2026-03-02T08:00:00.000Z", "2026-03-02T09:00:00.000Z"])
        #expect(busy.map(\.kinds) == [["check_in": 50], ["check_in": 50]])
        #expect(busy.map(\.people) == [50, 50])
        #expect(whole.next.count == 100 && whole.next.first?.user == "u0")
        #expect(whole.next.map(\.at) == whole.next.map(\.at).sorted())
        var pieces = AgendaSurvey(.init(from: now, hours: 24, stepMinutes: 60))
        var turns = 0
        while !pieces.isDone {
            pieces.go(through: register, until: { true })
            turns += 1
        }
        // Whoever has something due may have much: the time is looked at behind each of them.
        #expect(turns == 100 && pieces.buckets == whole.buckets && pieces.next == whole.next)
        var passing = AgendaSurvey(.init(from: now, hours: 1, stepMinutes: 60))
        var looks = 0
        passing.go(through: register) {
            looks += 1
            return false
        }
        #expect(passing.isDone && looks == 6, "sixteen who have nothing due are passed over at a time")
    }

    @Test func `of a million only the first hundred are named, and what is overdue is due at once`() throws {
        let now = try Instant(rfc3339: "2026-03-01T20:00:00Z")
        let register = try register(300, now)
        let later = try Instant(rfc3339: "2026-03-02T08:30:00Z")
        var survey = AgendaSurvey(.init(from: later, hours: 2, stepMinutes: 30))
        survey.go(through: register, until: { false })
        #expect(survey.next.count == 100)
        #expect(survey.buckets.map { $0.kinds["check_in"] ?? 0 } == [150, 150, 0, 0])
    }

    /// By these it is found what would come of it: a slot by its kind, subject and instant, what waits by its notice.
    @Test func `each that is named says what is due, what it is about and which notice waits`() throws {
        let start = try Instant(rfc3339: "2026-03-01T23:30:00Z")
        func named(_ policy: String, _ line: String) throws -> [AgendaSurvey.Coming] {
            let machine = machine(policy, at: start)
            let enrolled = #"{"type":"user_enrolled","user":"zoe","data":{"timezone":"Etc/UTC"}}"#
            machine.core?.ask(facts: [try fact(enrolled), try fact(line)], answers.hear)
            machine.settle()
            var survey = AgendaSurvey(.init(from: start, hours: 168, stepMinutes: 60))
            survey.go(through: try machine.folded(), until: { false })
            return survey.next
        }
        // In the night: it waits for the morning.
        let waiting = try named("standard", #"{"type":"notice_requested","user":"zoe","data":{"kind":"alert"}}"#)
        let alert = try #require(waiting.first { $0.kind == "alert" })
        #expect(alert.cause == .hold && alert.notice?.hasPrefix("zoe/alert/#") == true && alert.subject == nil)
        let checkIn = try #require(waiting.first { $0.kind == "check_in" })
        #expect(checkIn.cause == .slot && checkIn.notice == nil && checkIn.subject == nil)
        let goal = #"{"goal":"g1","title":"Run","deadline":"2026-03-20T12:00:00Z","reminder_time":"08:30"}"#
        let reminded = try named("microcommit", #"{"type":"goal_started","user":"zoe","data":\#(goal)}"#)
        #expect(reminded.contains { $0.cause == .slot && $0.subject == "goal:g1" }, "\(reminded)")
    }

    @Test func `the first of the kind that is asked for are named, whatever comes before them`() throws {
        let start = try Instant(rfc3339: "2026-03-01T23:30:00Z")
        let machine = machine(at: start)
        let tokyo = try (0..<150).map { number in
            try fact(#"{"type":"user_enrolled","user":"u\#(number)","data":{"timezone":"Asia/Tokyo"}}"#)
        }
        let zoe = [
            try fact(#"{"type":"user_enrolled","user":"zoe","data":{"timezone":"Etc/UTC"}}"#),
            // In the night: it waits for the morning.
            try fact(#"{"type":"notice_requested","user":"zoe","data":{"kind":"alert"}}"#),
        ]
        machine.core?.ask(facts: tokyo + zoe, answers.hear)
        machine.settle()
        let register = try machine.folded()
        func survey(_ kind: String?) -> AgendaSurvey {
            var survey = AgendaSurvey(.init(from: start, hours: 24, stepMinutes: 60, kind: kind))
            survey.go(through: register, until: { false })
            return survey
        }
        let (all, alerts) = (survey(nil), survey("alert"))
        #expect(all.next.count == 100 && all.next.allSatisfy { $0.kind == "check_in" })
        #expect(alerts.next.map(\.user) == ["zoe"] && alerts.next.first?.kind == "alert")
        #expect(alerts.buckets == all.buckets, "all kinds are counted")
        // As several partitions and workers are put together.
        var whole = AgendaSurvey(alerts.query)
        whole.add(alerts)
        #expect(whole.next == alerts.next)
        #expect(AgendaSurvey(alerts.query, found: all.buckets, next: all.next + alerts.next)?.next == alerts.next)
    }
}
