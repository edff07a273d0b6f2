import CivilTime
import Journal
import Measuring
import Notices
import Simulation
import Testing

@testable import Worker

@Suite("V6, numbers")
struct NumbersTests {
    private static let path = WrittenHistory.directory + "/numbers.snapshot"

    /// A history written to a log, folded into figures.
    private func numbers(_ written: WrittenHistory) throws -> Numbers {
        let log = try LogReader(WrittenHistory.directory, on: written.disk)
        var numbers = Numbers(of: try #require(log.identity), written.beginning)
        try numbers.read(log)
        return numbers
    }

    private func written(_ seed: UInt64, _ policy: String) throws -> WrittenHistory {
        let written = try WrittenHistory(.init(seed: seed, policy: policy))
        try written.write(0..<written.history.commits.count)
        return written
    }

    /// What is counted from the decoded events by somebody who keeps everything.
    private func counted(_ events: [Event]) -> [NumberCell.Figure: Int] {
        var counts: [NumberCell.Figure: Int] = [:]
        var raised: Set<String> = []
        var (held, gathered): (Set<String>, Set<String>) = ([], [])
        var tests: Set<String> = []
        func count(_ figure: NumberCell.Figure, _ job: NoticeName) {
            if !tests.contains(job.text) { counts[figure, default: 0] += 1 }
        }
        for event in events {
            switch event.payload {
            case .noticeHeld(let decision):
                if !decision.notice.text.contains("~"), raised.insert(decision.notice.text).inserted {
                    counts[.raised, default: 0] += 1
                }
                if held.insert(decision.notice.text).inserted { counts[.held, default: 0] += 1 }
            case .noticeGathered(let decision):
                if raised.insert(decision.notice.text).inserted { counts[.raised, default: 0] += 1 }
                if gathered.insert(decision.notice.text).inserted { counts[.gathered, default: 0] += 1 }
            case .testRequested(let test):
                tests.insert("\(event.user ?? "")/\(test.kind)/#\(event.seq)")
            case .noticeDropped(let decision) where tests.contains(decision.notice.text): break
            case .noticeDropped(let decision):
                if !decision.notice.text.contains("~"), raised.insert(decision.notice.text).inserted {
                    counts[.raised, default: 0] += 1
                }
                counts[.dropped, default: 0] += 1
            case .jobEmitted(let job):
                #expect((job.isTest == true) == tests.contains(job.job.text))
                if job.isTest == true { continue }
                counts[.emitted, default: 0] += 1
                for notice in job.notices where !notice.text.contains("~") {
                    if raised.insert(notice.text).inserted { counts[.raised, default: 0] += 1 }
                }
            case .jobDelivered(let outcome): count(.sent, outcome.job)
            case .jobFailed(let outcome): count(.failed, outcome.job)
            case .deliveryReported(let report):
                if report.status == .delivered { count(.delivered, report.job) }
                if [.failed, .bounced, .expired].contains(report.status) { count(.failed, report.job) }
            case .noticeOpened(let answer): count(.opened, answer.job)
            case .noticeDismissed(let answer): count(.dismissed, answer.job)
            case .noticeSnoozed(let answer): count(.snoozed, answer.job)
            default: break
            }
        }
        return counts
    }

    @Test(arguments: ShippedPolicies.names)
    func `every figure is what the events come to, however it is grouped`(policy: String) throws {
        for seed in 0..<25 as Range<UInt64> {
            let written = try written(seed, policy)
            let numbers = try numbers(written)
            let expected = counted(written.history.events)
            for grouping in NumbersQuery.Grouping.allCases {
                let rows = numbers.report(NumbersQuery(by: grouping)).rows
                for figure in NumberCell.Figure.allCases {
                    // On two channels a job is emitted on each.
                    if grouping == .channel, figure == .emitted { continue }
                    let sum = rows.reduce(0) { $0 + $1.cell[figure] }
                    #expect(sum == expected[figure] ?? 0, "\(policy), seed \(seed), by \(grouping): \(figure)")
                }
            }
        }
    }

    @Test(arguments: ShippedPolicies.names)
    func `who uses what is what everybody's state says`(policy: String) throws {
        for seed in 0..<25 as Range<UInt64> {
            let written = try written(seed, policy)
            let use = try numbers(written).report(NumbersQuery()).use
            let register = try written.load().register
            let rules = register.plan.rules
            #expect(use.people == register.people.count)
            #expect(use.quietHours == register.people.count { $0.preferences.quietHours != nil }, "seed \(seed)")
            #expect(use.digestMode == register.people.count { $0.preferences.digestMode }, "seed \(seed)")
            var frequencies: [String: Int] = [:]
            var presets: [String: Int] = [:]
            for person in register.people {
                let document = rules.document(
                    differing: person.details.differences, saidYes: person.flags.contains(.saidYes), timezone: "UTC")
                if case .string(let word)? = document["frequency"] { frequencies[word, default: 0] += 1 }
                if let preset = rules.presetInForce(person.details.preset) { presets[preset, default: 0] += 1 }
            }
            #expect(use.frequencies == frequencies && use.presets == presets, "\(policy), seed \(seed)")
        }
    }

    @Test(arguments: ShippedPolicies.names)
    func `kept, believed and read on, they are to the byte what a reading from the beginning gives`(
        policy: String
    ) throws {
        for seed in 0..<12 as Range<UInt64> {
            let written = try WrittenHistory(.init(seed: seed, policy: policy))
            let count = written.history.commits.count
            var before = 0
            var position: UInt64 = 0
            for cut in [count / 3, count / 3 + 1, count / 2, count] where cut > before {
                try written.write(before..<cut)
                before = cut
                let log = try LogReader(WrittenHistory.directory, on: written.disk)
                var numbers =
                    try Numbers(keptBeside: log, written.beginning)
                    ?? Numbers(of: try #require(log.identity), written.beginning)
                #expect(numbers.head.position == position, "seed \(seed): what was kept is believed")
                try numbers.read(log)
                position = numbers.head.position
                try numbers.keep(in: WrittenHistory.directory, on: written.disk, written.beginning)
                let kept = try #require(written.disk.contents(Self.path))
                var anew = Numbers(of: try #require(log.identity), written.beginning)
                try anew.read(log)
                try anew.keep(in: WrittenHistory.directory, on: written.disk, written.beginning)
                #expect(written.disk.contents(Self.path) == kept, "\(policy), seed \(seed)")
                guard case .upToDate(let alone)? = try KeptNumbers(beside: log, written.beginning) else {
                    Issue.record("\(policy), seed \(seed): what was kept is not believed")
                    continue
                }
                #expect(alone.report(NumbersQuery()) == anew.report(NumbersQuery()))
            }
        }
    }

    @Test func `asked for the past they are what they were then`() throws {
        let written = try WrittenHistory(.init(seed: 5, policy: "microcommit"))
        let commits = written.history.commits
        let half = commits.count / 2
        try written.write(0..<half)
        let then = try numbers(written)
        let day = LocalDate(daysSince1970: Int32(commits[half - 1][0].at.wholeSeconds / 86_400) - 1)
        let query = NumbersQuery(to: day)
        let before = then.report(query)
        try written.write(half..<commits.count)
        let after = try numbers(written).report(query)
        #expect(after.rows == before.rows && after.use == before.use && !before.rows.isEmpty)
    }

    @Test func `figures of another history, or of another fold, are not believed`() throws {
        let one = try written(3, "standard")
        let log = try LogReader(WrittenHistory.directory, on: one.disk)
        let numbers = try numbers(one)
        try numbers.keep(in: WrittenHistory.directory, on: one.disk, one.beginning)
        #expect(try Numbers(keptBeside: log, one.beginning) != nil)
        let other = Beginning(ShippedPlans["coachme"], policy: ShippedPolicies.text(of: "coachme") ?? "", tzdb: "x")
        #expect(try Numbers(keptBeside: log, other) == nil)
        let bytes = try #require(one.disk.contents(Self.path))
        var random = SeededRandom(seed: 2)
        // The header's last four bytes and the padding behind sections are never read.
        for place in Array(0..<100) + stride(from: 104, to: bytes.count - 8, by: 17) {
            var broken = bytes
            broken[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            one.disk.setContents(Self.path, broken)
            if let believed = try Numbers(keptBeside: log, one.beginning) {
                #expect(believed.report(NumbersQuery()) == numbers.report(NumbersQuery()), "byte \(place)")
            }
        }
        let another = try written(4, "standard")
        another.disk.setContents(Self.path, bytes)
        let elsewhere = try LogReader(WrittenHistory.directory, on: another.disk)
        #expect(try Numbers(keptBeside: elsewhere, another.beginning) == nil)
    }

    @Test func `figures that are ahead of the log, or of a log that went on otherwise, are not believed`() throws {
        let one = try WrittenHistory(.init(seed: 8, policy: "standard"))
        let count = one.history.commits.count
        try one.write(0..<count / 2)
        let other = one.disk.copy()
        try one.write(count / 2..<count)
        try numbers(one).keep(in: WrittenHistory.directory, on: one.disk, one.beginning)
        let bytes = try #require(one.disk.contents(Self.path))
        other.setContents(Self.path, bytes)
        #expect(try Numbers(keptBeside: LogReader(WrittenHistory.directory, on: other), one.beginning) == nil)
        // One commit is left out, so that everything behind it is another history of the same log.
        try one.write(count / 2 + 1..<count, on: other)
        other.setContents(Self.path, bytes)
        #expect(try Numbers(keptBeside: LogReader(WrittenHistory.directory, on: other), one.beginning) == nil)
    }

    @Test func `a job is as late as its slot or its hold was long ago`() throws {
        var late = Durations(upTo: NumberCell.lateBoundsMs)
        for milliseconds in [-5, 0, 1, 7, 7, 90_000] as [Double] { late.add(milliseconds: milliseconds) }
        #expect(late.quantileMs(0.5) == 1 && late.quantileMs(0.6) == 10 && late.quantileMs(0.99) == 600_000)
        let written = try written(1, "standard")
        let rows = try numbers(written).report(NumbersQuery(by: .kind, kind: "check_in")).rows
        let cell = try #require(rows.first?.cell)
        // Under a virtual clock nobody is late.
        #expect(cell[.emitted] > 0 && cell.late.quantileMs(0.99) == 1)
    }

    @Test(arguments: [(60_000, 1.0), (60_007, 10.0)])
    func `what was held is due when its hold ends, and a slot at its time`(after: Int64, late: Double) throws {
        let noon = try Instant(rfc3339: "2026-03-02T12:00:00Z")
        func job(_ kind: String, _ last: String) -> JobEmitted {
            let name = NoticeName("anna/\(kind)/\(last)")
            var job = JobEmitted()
            (job.job, job.kind, job.notices, job.channels) = (name, Identifier(kind), [name], [.push])
            return job
        }
        let alert = job("alert", "#3")
        var checkIn = job("check_in", "2026-03-02T12:01")
        checkIn.slot = LocalSlot("2026-03-02T12:01")
        var held = NoticeHeld()
        (held.notice, held.kind, held.reason) = (alert.job, alert.kind, .quietHours)
        held.until = noon.advanced(byMilliseconds: 60_000)
        let at = noon.advanced(byMilliseconds: after).description
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna")]),
            ("2026-03-02T11:00:00Z", [Entry(user: "anna", payload: .noticeHeld(held))]),
            (at, [alert, checkIn].map { Entry(user: "anna", payload: .jobEmitted($0)) }))
        let rows = numbers.report(NumbersQuery(by: .kind)).rows
        #expect(rows.map(\.cell.late).map { $0.quantileMs(0.99) } == [late, late])
    }

    @Test(arguments: [(59_000, 1.0), (59_007, 10.0)])
    func `what hangs on a deadline is due at the deadline's own second`(after: Int64, late: Double) throws {
        var started = GoalStarted()
        (started.goal, started.title) = (Identifier("g"), Text("G"))
        started.deadline = try Instant(rfc3339: "2026-03-02T12:00:59Z")
        var job = JobEmitted()
        let name = NoticeName("anna/deadline_warning/goal:g/2026-03-02T11:00")
        (job.job, job.kind, job.notices, job.channels) = (name, Identifier("deadline_warning"), [name], [.push])
        job.slot = LocalSlot("2026-03-02T11:00")
        let at = try Instant(rfc3339: "2026-03-02T11:00:00Z").advanced(byMilliseconds: after)
        let numbers = try numbers(
            of: "microcommit", ("2026-03-01T12:00:00Z", [enrolled("anna")]),
            ("2026-03-01T12:00:00Z", [Entry(user: "anna", payload: .goalStarted(started))]),
            (at.description, [Entry(user: "anna", payload: .jobEmitted(job))]))
        let rows = numbers.report(NumbersQuery(by: .kind)).rows
        #expect(try #require(rows.first?.cell).late.quantileMs(0.99) == late)
    }

    @Test func `a deadline that is a week past is forgotten, whoever reads the log and from where`() throws {
        var started = GoalStarted()
        (started.goal, started.title) = (Identifier("g"), Text("G"))
        started.deadline = try Instant(rfc3339: "2026-03-02T12:00:59Z")
        func kept(until at: String) throws -> Int {
            try numbers(
                of: "microcommit", ("2026-03-01T12:00:00Z", [enrolled("anna")]),
                ("2026-03-01T12:00:00Z", [Entry(user: "anna", payload: .goalStarted(started))]),
                (at, [Entry(user: "anna", payload: .appOpened(AppOpened()))])
            ).deadlines.count
        }
        #expect(try kept(until: "2026-03-09T23:59:59Z") == 1)
        #expect(try kept(until: "2026-03-10T00:00:00Z") == 0)
    }

    // MARK: Logs by hand

    /// Commits written to a log, folded into figures.
    private func numbers(
        of policy: String = "standard", _ commits: (at: String, entries: [Entry])...
    ) throws -> Numbers {
        let disk = SimulatedDisk()
        let journal = try Journal(WrittenHistory.directory, on: disk, holder: "the test")
        for (at, entries) in commits {
            _ = try journal.append(entries, at: try Instant(rfc3339: at))
            try journal.commit()
        }
        try journal.close()
        let beginning = Beginning(
            ShippedPlans[policy], policy: ShippedPolicies.text(of: policy) ?? "", tzdb: "any")
        let log = try LogReader(WrittenHistory.directory, on: disk)
        var numbers = Numbers(of: try #require(log.identity), beginning)
        try numbers.read(log)
        return numbers
    }

    private func enrolled(_ user: String) -> Entry {
        var enrolled = UserEnrolled()
        enrolled.timezone = ZoneName("Etc/UTC")
        return Entry(user: user, payload: .userEnrolled(enrolled))
    }

    @Test func `who comes on a day uses something from that day on`() throws {
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna")]),
            ("2026-03-02T12:00:00Z", [enrolled("ben"), enrolled("cora")]),
            ("2026-03-04T12:00:00Z", [enrolled("dora")]))
        let people = ["02-28", "03-01", "03-02", "03-03", "03-04"].map { day in
            numbers.report(NumbersQuery(to: LocalDate("2026-\(day)"))).use.people
        }
        #expect(people == [0, 1, 3, 3, 4])
    }

    @Test func `whom the log erased uses nothing from that day on (E1)`() throws {
        let erased = Entry(user: "anna", payload: .personErased(PersonErased()))
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna"), enrolled("ben")]),
            ("2026-03-02T12:00:00Z", [erased]),
            ("2026-03-03T12:00:00Z", [enrolled("cora")]))
        let people = ["03-01", "03-02", "03-03"].map { day in
            numbers.report(NumbersQuery(to: LocalDate("2026-\(day)"))).use.people
        }
        #expect(people == [2, 1, 2])
        // Kept and read again it is the same: nobody stands in the row of whom the log erased.
        let kept = numbers.settings.kept
        let again = try #require(SettingsTable(kept.settings, people: kept.people, numbers.plan.plan.rules))
        #expect(again.use == numbers.settings.use && again.kept == kept && again.settings(of: 0) == nil)
    }

    @Test func `a sample counts for nothing, dropped or sent, and however late its outcome comes (N8)`() throws {
        func sample(_ number: Int, _ payload: (NoticeName) -> Payload) -> [Entry] {
            var test = TestRequested()
            test.kind = Identifier("alert")
            return [
                Entry(user: "anna", payload: .testRequested(test)),
                Entry(user: "anna", payload: payload(NoticeName("anna/alert/#\(number)"))),
            ]
        }
        let sent = sample(2) { name in
            var job = JobEmitted()
            (job.job, job.kind, job.notices, job.channels) = (name, Identifier("alert"), [name], [.push])
            job.isTest = true
            return .jobEmitted(job)
        }
        let dropped = sample(4) { name in
            var dropped = NoticeDropped()
            (dropped.notice, dropped.kind, dropped.reason) = (name, Identifier("alert"), .noChannel)
            return .noticeDropped(dropped)
        }
        var failed = JobFailed()
        (failed.job, failed.channel) = (NoticeName("anna/alert/#2"), .push)
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna")]), ("2026-03-01T12:01:00Z", sent),
            ("2026-03-01T12:02:00Z", dropped),
            // The worker slept for weeks.
            ("2026-04-01T12:00:00Z", [Entry(user: "anna", payload: .jobFailed(failed))]))
        #expect(numbers.report(NumbersQuery()).rows.isEmpty)
    }

    @Test func `what waits is counted until it comes to its end`() throws {
        let name = NoticeName("anna/alert/#2")
        var held = NoticeHeld()
        (held.notice, held.kind, held.reason) = (name, Identifier("alert"), .quietHours)
        var gathered = NoticeGathered()
        (gathered.notice, gathered.kind) = (NoticeName("anna/reminder/#3"), Identifier("reminder"))
        let waiting = [
            Entry(user: "anna", payload: .noticeHeld(held)), Entry(user: "anna", payload: .noticeGathered(gathered)),
        ]
        var dropped = NoticeDropped()
        (dropped.notice, dropped.kind, dropped.reason) = (name, Identifier("alert"), .expired)
        let before = try numbers(("2026-03-01T12:00:00Z", [enrolled("anna")] + waiting))
        #expect(before.waiting == WaitingNotices(held: 1, gathered: 1))
        let after = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna")] + waiting),
            ("2026-03-01T13:00:00Z", [Entry(user: "anna", payload: .noticeDropped(dropped))]))
        #expect(after.waiting == WaitingNotices(held: 0, gathered: 1))
    }

    @Test func `a repeat that waits was raised by nobody (S1)`() throws {
        let name = NoticeName("anna/alert/#2~1")
        var held = NoticeHeld()
        (held.notice, held.kind, held.reason) = (name, Identifier("alert"), .quietHours)
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna"), Entry(user: "anna", payload: .noticeHeld(held))]))
        let cell = try #require(numbers.report(NumbersQuery(by: .kind)).rows.first?.cell)
        #expect(cell[.raised] == 0 && cell[.held] == 1)
    }

    @Test func `whatever stretch is told of ends no earlier than it begins`() throws {
        let numbers = try numbers(
            ("2026-03-01T12:00:00Z", [enrolled("anna")]), ("2026-03-04T12:00:00Z", [enrolled("ben")]))
        func stretch(_ from: String?, _ to: String?, _ kind: String? = nil) -> String {
            let query = NumbersQuery(from: from.flatMap { LocalDate($0) }, to: to.flatMap { LocalDate($0) }, kind: kind)
            let report = numbers.report(query)
            return "\(report.from.map { "\($0)" } ?? "-") \(report.to.map { "\($0)" } ?? "-")"
        }
        #expect(stretch(nil, nil) == "2026-03-01 2026-03-04" && stretch(nil, nil, "none") == "2026-03-01 2026-03-04")
        #expect(stretch("2027-01-01", nil) == "2027-01-01 2027-01-01")
        #expect(stretch(nil, "2025-01-01") == "2025-01-01 2025-01-01")
        #expect(stretch("2026-03-02", "2026-03-03") == "2026-03-02 2026-03-03")
    }
}
