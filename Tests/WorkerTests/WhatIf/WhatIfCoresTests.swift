import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// However many cores go over a log, they find what one finds.
@Suite("what-if on several cores")
struct WhatIfCoresTests {
    private static let cores = [2, 3, 8]

    private static let plans = (0..<8).map { _ in
        ShippedPlans.plan(document: ShippedPolicies.text(of: "standard") ?? "")
    }

    private static func crowd(_ policy: String, seed: UInt64) throws -> WrittenHistory {
        var recipe = RandomHistory.Recipe(seed: seed, policy: policy)
        (recipe.peopleMax, recipe.factsMax) = (9, 150)
        let written = try WrittenHistory(recipe)
        try written.write(0..<written.history.commits.count)
        return written
    }

    private static func question(_ policy: String, from: Instant? = nil, to: Instant? = nil) throws -> WhatIf.Question {
        let document = ShippedPolicies.text(of: policy) ?? ""
        return try WhatIf.Question(policy: Policy(document: document), document: document, from: from, to: to)
    }

    /// All that the report says, in words.
    private static func told(
        _ logs: [LogReader], _ question: WhatIf.Question, cores: Int, of stretch: ClosedRange<Instant>? = nil
    ) throws -> String {
        var findings = WhatIfFindings()
        for (place, log) in logs.enumerated() {
            findings.add(try WhatIf.read(log, question, Array(plans.prefix(cores)), of: stretch, log: place).findings)
        }
        return "\(findings.report(under: "other") as Any)"
    }

    @Test(arguments: ShippedPolicies.names)
    func `any number of them finds the same, over any stretch and under any policy`(policy: String) throws {
        var (changed, refused) = (0, 0)
        for seed in UInt64(1)...2 {
            let written = try Self.crowd(policy, seed: seed)
            let log = try LogReader(WrittenHistory.directory, on: written.disk)
            let instants = written.history.events.map(\.at)
            let (from, to) = (instants[instants.count / 3], instants[instants.count * 3 / 4])
            for other in ShippedPolicies.names {
                let questions = [
                    try Self.question(other), try Self.question(other, from: from),
                    try Self.question(other, from: from.advanced(byMilliseconds: 1), to: to),
                    try Self.question(other, from: .distantPast, to: from.advanced(byMilliseconds: -1)),
                ]
                for (number, question) in questions.enumerated() {
                    let one = try Self.told([log], question, cores: 1)
                    changed += one.contains("becomes: Optional") ? 1 : 0
                    refused += one.contains("Refused(") ? 1 : 0
                    for cores in Self.cores {
                        #expect(
                            try Self.told([log], question, cores: cores) == one,
                            "\(policy) as \(other), seed \(seed), question \(number), \(cores) cores")
                    }
                }
            }
        }
        #expect(changed > 10 && refused > 10, "\(changed) \(refused)")
    }

    @Test func `any number of them finds the same in several logs that are one`() throws {
        for seed in UInt64(1)...6 {
            let histories = try ["standard", "messageai", "microcommit"].map { try Self.crowd($0, seed: seed) }
            let logs = try histories.map { try LogReader(WrittenHistory.directory, on: $0.disk) }
            let instants = histories.flatMap(\.history.events).map(\.at).sorted()
            let stretch = instants[0]...instants[instants.count - 1]
            for from in [nil, instants[instants.count / 2]] {
                let question = try Self.question("screentime", from: from)
                let one = try Self.told(logs, question, cores: 1, of: stretch)
                for cores in Self.cores {
                    #expect(try Self.told(logs, question, cores: cores, of: stretch) == one, "seed \(seed), \(cores)")
                }
            }
        }
    }

    /// Whose first facts are refused is not known here, and everybody behind them has another number than in the log.
    @Test func `who was erased is one person, also where not everybody of the log is here`() throws {
        let at = Instant(local: "2026-03-02T10:00Z")
        var requested = NoticeRequested()
        requested.kind = Identifier("alert")
        var facts = [Event(seq: 1, at: at, user: "anna", payload: .noticeRequested(requested))]
        for (number, user) in (1...9).map({ ($0, Erased.person(UInt32($0))) }) {
            facts.append(Event(seq: UInt64(2 * number), at: at, user: user, payload: .appOpened(AppOpened())))
            facts.append(Event(seq: UInt64(2 * number + 1), at: at, user: user, payload: .appOpened(AppOpened())))
        }
        let question = try Self.question("coachme")
        var people: [Int] = []
        for count in [1, 2, 3, 8] {
            var findings = WhatIfFindings()
            for place in 0..<count {
                let share = Share(place, of: count)
                var whatIf = WhatIf(question, ShippedPlans["standard"], share: share)
                for fact in facts {
                    let number = fact.user.flatMap { user in (1...9).first { Erased.person(UInt32($0)) == user } } ?? 0
                    _ = whatIf.take(share.holds(UInt32(number)) ? [fact] : [], at: at)
                }
                findings.add(whatIf.finish())
            }
            people.append(try #require(findings.report(under: "coachme")).people)
        }
        #expect(people == [9, 9, 9, 9])
    }
}
