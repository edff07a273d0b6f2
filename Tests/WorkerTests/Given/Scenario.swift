import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// A short history told as given, when, then, under a virtual clock.
///
/// Everything that is decided must be expected: `then` is given every decision since the one before, those of an
/// earlier instant with it in front. Nothing is noticed late, and nothing unnoticed. At its end the whole log is decided
/// again, and nothing may differ (`G1`).
final class Scenario {
    private let said = Hearing()
    private let reader: FactReader
    private let plan: Plan
    private var chronicle: Chronicle
    private var warnings: [String] = []

    /// What the chronicle told and no `then` has heard yet.
    private final class Hearing {
        var unheard: [Event] = []
        var jobs: [JobEmitted] = []
        var lastFact: Event?
        var commits: [Chronicle.Commit] = []
        var all: [Event] { commits.flatMap { $0 } }

        func take(_ commit: Chronicle.Commit) {
            commits.append(commit)
            for event in commit { take(event) }
        }

        private func take(_ event: Event) {
            if event.isDecision { unheard.append(event) } else { lastFact = event }
            if case .jobEmitted(let job) = event.payload { jobs.append(job) }
        }
    }

    init(_ plan: Plan) {
        // A log may name a zone that this machine's database does not have (G6).
        reader = FactReader { $0 == "Mars/Olympus" ? nil : ShippedPlans.zones.problem(with: $0) }
        self.plan = plan
        chronicle = Chronicle(plan) { [said] commit in said.take(commit) }
    }

    deinit {
        var replay = Replay(plan)
        for commit in said.commits { replay.take(commit) }
        #expect(replay.differing == 0, "decided again: \(replay.first.map { "\($0)" } ?? "")")
    }

    /// The log so far.
    var log: [Event] { said.all }

    // MARK: Telling

    /// Facts at an instant, after everything due until then.
    @discardableResult
    func when(_ facts: Told..., at text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        later(at: text, sourceLocation: sourceLocation)
        warnings = []
        for fact in facts {
            switch told(fact, saying: chronicle.now.description) {
            case .recorded(_, let said): warnings += said.map(\.sentence)
            case .refused(let problem):
                Issue.record("\(fact.type) was refused: \(problem)", sourceLocation: sourceLocation)
            case .duplicate, .leftOut: break
            }
        }
        return self
    }

    /// A line that cannot be read is refused like one that may not be.
    private func told(_ fact: Told, saying instant: String) -> FactReceipt {
        do throws(Refusal) {
            return chronicle.take(try reader.read(fact.line(at: instant)))
        } catch {
            return .refused(FieldError("\(error)"))
        }
    }

    /// What is due until an instant, and at it.
    @discardableResult
    func later(at text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        let instant = Instant(local: text)
        #expect(instant >= chronicle.now, "a history does not go back", sourceLocation: sourceLocation)
        chronicle.wind(to: instant)
        return self
    }

    /// What a change of Anna's preferences would do at an instant, with everything due until then decided.
    func trial(of change: Payload, at text: String) throws -> PreferenceTrial {
        later(at: text)
        let number = try #require(chronicle.register.number(of: "anna"))
        return try chronicle.register.trial(of: change, about: number, user: "anna", at: chronicle.now)
    }

    /// As `later`, but nobody is awake until then: everything due meanwhile is handled late (C5).
    @discardableResult
    func asleep(until text: String) -> Scenario {
        chronicle = Chronicle(
            resuming: chronicle.register, at: Instant(local: text), nextSequence: chronicle.nextSequence
        ) { [said] commit in said.take(commit) }
        chronicle.wind(to: Instant(local: text))
        return self
    }

    /// As `later`, and what is decided meanwhile is of no interest.
    @discardableResult
    func unwatched(until text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        later(at: text, sourceLocation: sourceLocation)
        said.unheard = []
        return self
    }

    // MARK: Expecting

    /// Exactly these decisions, in this order.
    @discardableResult
    func then(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        then(contentsOf: expected, sourceLocation: sourceLocation)
    }

    @discardableResult
    func then(contentsOf expected: [String], sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        let heard = said.unheard.map(sentence)
        said.unheard = []
        #expect(heard == expected, sourceLocation: sourceLocation)
        return self
    }

    @discardableResult
    func thenNothing(sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        then(sourceLocation: sourceLocation)
    }

    /// A fact that is refused whole, with these words.
    @discardableResult
    func refuses(
        _ fact: Told, at text: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Scenario {
        later(at: text, sourceLocation: sourceLocation)
        return refuses(fact, saying: chronicle.now.description, words, sourceLocation: sourceLocation)
    }

    /// As above, of a fact that claims to be of any instant.
    @discardableResult
    func refuses(
        _ fact: Told, saying instant: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Scenario {
        let before = chronicle.nextSequence
        let receipt = told(fact, saying: instant)
        if case .refused(let problem) = receipt {
            #expect("\(problem)" == words, sourceLocation: sourceLocation)
        } else {
            Issue.record("\(fact.type) was taken: \(receipt)", sourceLocation: sourceLocation)
        }
        #expect(chronicle.nextSequence == before, "something of it was applied", sourceLocation: sourceLocation)
        return self
    }

    /// A fact about Anna of Belfry's own, with what no sender can tell.
    @discardableResult
    func hears(_ fact: Payload, at text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        later(at: text, sourceLocation: sourceLocation)
        if case .refused(let problem) = chronicle.take(Fact(user: "anna", at: chronicle.now, payload: fact)) {
            Issue.record("\(fact.type.text) was refused: \(problem)", sourceLocation: sourceLocation)
        }
        return self
    }

    /// A fact that is told to be there already, as an event of this number; nothing is recorded.
    @discardableResult
    func repeats(
        _ fact: Told, at text: String, _ number: UInt64, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Scenario {
        later(at: text, sourceLocation: sourceLocation)
        let before = chronicle.nextSequence
        let receipt = told(fact, saying: chronicle.now.description)
        #expect(receipt == .duplicate(of: number), sourceLocation: sourceLocation)
        #expect(chronicle.nextSequence == before, "something of it was applied", sourceLocation: sourceLocation)
        return self
    }

    /// What the sender of the last facts is told with their acknowledgement.
    @discardableResult
    func warns(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        #expect(warnings == expected, sourceLocation: sourceLocation)
        return self
    }

    /// What the log keeps of the last fact.
    @discardableResult
    func records(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        var kept = ByteBuffer()
        said.lastFact?.payload.writeJSON(into: &kept)
        let text = String(decoding: kept.bytes, as: UTF8.self)
        #expect(text == expected, sourceLocation: sourceLocation)
        return self
    }

    /// A closer look at the last job.
    @discardableResult
    func job(sourceLocation: SourceLocation = #_sourceLocation, _ look: (JobEmitted) -> Void) -> Scenario {
        if let job = said.jobs.last { look(job) } else { Issue.record("no job", sourceLocation: sourceLocation) }
        return self
    }

    /// The last job's words.
    @discardableResult
    func says(_ title: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        job(sourceLocation: sourceLocation) { job in
            #expect([job.title.text, job.body.text] == [title, body], sourceLocation: sourceLocation)
        }
    }

    /// The last job's deep-link data.
    @discardableResult
    func carries(_ expected: [String: String], sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        job(sourceLocation: sourceLocation) { job in
            let data = job.data.entries.map { ($0.key, $0.value.text) }
            #expect(Dictionary(uniqueKeysWithValues: data) == expected, sourceLocation: sourceLocation)
        }
    }

    /// The last job's category and actions.
    @discardableResult
    func offers(
        _ category: String?, _ actions: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Scenario {
        job(sourceLocation: sourceLocation) { job in
            #expect(job.category?.text == category, sourceLocation: sourceLocation)
            #expect(job.actions.map(\.text) == actions, sourceLocation: sourceLocation)
        }
    }

    /// The thread that devices sort the last job into: its subject.
    @discardableResult
    func isInThread(_ thread: String?, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        job(sourceLocation: sourceLocation) { job in
            #expect(job.thread?.text == thread, sourceLocation: sourceLocation)
            #expect(job.subject?.text == thread, sourceLocation: sourceLocation)
        }
    }

    /// Until when the last job may be sent, in the person's zone; `nil` for ever.
    @discardableResult
    func isSentUntil(_ expected: String?, sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        job(sourceLocation: sourceLocation) { job in
            let zone = chronicle.register.number(of: "anna").map { chronicle.register[$0].zone } ?? .utc
            #expect(job.notAfter?.local(in: zone) == expected, sourceLocation: sourceLocation)
        }
    }

    /// A closer look at someone's state.
    @discardableResult
    func person(_ name: String = "anna", _ look: (Person) throws -> Void) rethrows -> Scenario {
        if let number = chronicle.register.number(of: name) {
            try look(chronicle.register[number])
        } else {
            Issue.record("\(name) is nobody yet")
        }
        return self
    }

    /// Where someone can be reached with a job of a kind now, as whoever delivers is told.
    @discardableResult
    func contact(about kind: String, _ name: String = "anna", _ look: (Contact) -> Void) -> Scenario {
        contact(about: JobTopic(kind: kind), name, look)
    }

    @discardableResult
    func contact(about topic: JobTopic, _ name: String = "anna", _ look: (Contact) -> Void) -> Scenario {
        let occasion = Occasion(0, chronicle.now, user: name, chronicle.register.plan)
        return person(name) { look($0.contact(about: topic, on: occasion)) }
    }

    // MARK: Words

    private func sentence(_ event: Event) -> String {
        let number = event.user.flatMap(chronicle.register.number)
        let zone = number.map { chronicle.register[$0].zone } ?? .utc
        let sentence = Sentence(event, zone, chronicle.register.plan).text
        return event.at == chronicle.now ? sentence : "\(event.at.local(in: zone)) \(sentence)"
    }
}

/// Someone's first facts, before the history begins: at noon of a Sunday unless said otherwise.
func given(
    _ facts: Told..., policy: String = "standard", at text: String = "2026-03-01T12:00Z",
    sourceLocation: SourceLocation = #_sourceLocation
) -> Scenario {
    let plan = policy.hasPrefix("{") ? ShippedPlans.plan(document: policy) : ShippedPlans[policy]
    let scenario = Scenario(plan)
    for fact in facts { scenario.when(fact, at: text, sourceLocation: sourceLocation) }
    return scenario
}

extension Event {
    var isDecision: Bool { !payload.isFact }
}
