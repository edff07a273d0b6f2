import CivilTime
import Journal
import Notices
import Simulation
import Testing
@testable import Worker

@Suite("A start from a snapshot")
struct FoldedLogTests {
    @Test(arguments: ShippedPolicies.names)
    func `comes to what a start without one comes to`(policy: String) throws {
        for seed in UInt64(0)..<12 {
            let log = try WrittenHistory.standard(seed: seed, policy)
            let count = log.history.commits.count
            var random = SeededRandom(seed: seed)
            let cuts = (0..<2).map { _ in Int.random(in: 1...count, using: &random) }.sorted()
            try log.write(0..<cuts[0])
            let first = try #require(try log.take())
            #expect(first.stateBytes > 0 && first.indexBytes > 0)
            try log.write(cuts[0]..<cuts[1])
            // Once from the snapshot before, once from what that gave.
            for end in [cuts[1], count] {
                if end == count { try log.write(cuts[1]..<count) }
                let whole = try log.load(usingSnapshot: false)
                let fast = try log.load()
                #expect(whole.snapshot == nil && fast.snapshot != nil, "\(policy), seed \(seed)")
                #expect(Outcome(fast) == Outcome(whole), "\(policy), seed \(seed)")
                #expect(fast.eventsFolded < whole.eventsFolded)
                try log.take()
            }
            let last = try log.load()
            #expect(last.eventsFolded == 0 && last.snapshot == last.head)
            #expect(Outcome(last) == Outcome(try log.load(usingSnapshot: false)))
        }
    }

    @Test(arguments: ShippedPolicies.names)
    func `comes to the same on any number of cores, and goes on alike from there`(policy: String) throws {
        for seed in UInt64(20)..<30 {
            let log = try WrittenHistory.standard(seed: seed, policy)
            let count = log.history.commits.count
            try log.write(0..<count * 2 / 3)
            let one = try log.load(usingSnapshot: false)
            for cores in [2, 3, 8] {
                let several = try log.load(usingSnapshot: false, cores: cores)
                #expect(Outcome(several) == Outcome(one), "\(policy), seed \(seed), \(cores) cores")
                #expect(several.eventsFolded == one.eventsFolded)
                #expect(several.register.adoption == one.register.adoption)
                #expect(several.outstanding == one.outstanding)
                // What several cores folded is a snapshot like any other, and what comes behind it is folded on.
                let bytes = try several.write(to: WrittenHistory.directory, on: log.disk)
                #expect(try log.load().snapshot == one.head && bytes > 0)
            }
            try log.write(count * 2 / 3..<count)
            #expect(Outcome(try log.load(cores: 8)) == Outcome(try log.load(usingSnapshot: false)))
        }
    }

    @Test func `knows the policies adopted on the way, and the kinds they retired`() throws {
        var seen = 0
        for seed in UInt64(0)..<300 where seen < 5 {
            let log = try WrittenHistory.standard(seed: seed, "microcommit")
            guard log.history.adoptsPolicies else { continue }
            seen += 1
            try log.write(0..<log.history.commits.count)
            try log.take()
            let whole = try log.load(usingSnapshot: false)
            #expect(try log.load().snapshot == whole.head)
            #expect(Outcome(try log.load()) == Outcome(whole))
        }
        #expect(seen == 5)
    }

    @Test func `the same policies over and over are kept once`() throws {
        let names = ["coachme", "screentime", "coachme", "standard", "coachme", "standard"]
        let beginning = ShippedPlans["messageai"].rules
        var chain = PolicyChain()
        for name in names { chain.adopt(ShippedPolicies.text(of: name) ?? "") }
        let rules = try #require(chain.rulebook(from: beginning))
        let short = chain.shortened(giving: rules, from: beginning)
        #expect(short.documents == ["screentime", "coachme", "standard"].map { ShippedPolicies.text(of: $0) })
        let again = try #require(short.rulebook(from: beginning))
        #expect(again.kinds == rules.kinds)
        #expect(again.kinds.count > again.ownKinds)
    }

    @Test func `with another tz database works out everybody's wake anew`() throws {
        let log = try WrittenHistory.standard()
        try log.write(0..<log.history.commits.count)
        try log.take()
        let other = Beginning(log.history.plan, policy: log.beginning.policy, tzdb: "1999z")
        let folded = try log.load(other)
        #expect(folded.snapshot == folded.head && folded.hasOtherZones)
        #expect(Outcome(folded) == Outcome(try log.load(usingSnapshot: false)))
        // Once it is kept again, it is that database's.
        let taken = try #require(try log.take(other))
        #expect(taken.stateBytes > 0 && !taken.wasStateThere)
        #expect(try !log.load(other).hasOtherZones)
    }

    /// Debian takes zones out of a database and puts them into a package of their own: its version stays what it is.
    @Test(arguments: ["new", "old"])
    func `somebody in an unknown zone goes on when a tz database knows it`(version: String) throws {
        let disk = SimulatedDisk()
        let journal = try Journal(WrittenHistory.directory, on: disk, holder: "the test")
        var enrolled = UserEnrolled()
        enrolled.timezone = ZoneName("Europe/Paris")
        _ = try journal.append(
            [Entry(user: "anna", payload: .userEnrolled(enrolled))], at: Instant(milliseconds: 1_772_445_600_000))
        try journal.close()
        let text = ShippedPolicies.text(of: "standard") ?? ""
        let rules = ShippedPlans["standard"].rules
        let old = Beginning(
            Plan(rules) { $0 == "Europe/Paris" ? nil : try? ShippedPlans.zones.zone(named: $0) }, policy: text,
            tzdb: "old")
        let new = Beginning(ShippedPlans["standard"], policy: text, tzdb: version)
        let log = try LogReader(WrittenHistory.directory, on: disk)
        let unknown = try FoldedLog.load(log, old).register
        #expect(unknown[0].nextWake == .distantFuture && unknown.unknownZones == ["Europe/Paris": 1])
        _ = try SnapshotTaking(WrittenHistory.directory, on: disk, old).run()
        let folded = try FoldedLog.load(log, new)
        #expect(folded.snapshot != nil)
        #expect(folded.register[0].zone.name == "Europe/Paris")
        #expect(folded.register[0].nextWake < .distantFuture)
        #expect(!folded.register[0].flags.contains(.zoneUnknown) && folded.register.unknownZones.isEmpty)
        // What is taken next keeps them awake.
        #expect(folded.hasOtherZones)
        let again = try FoldedLog.load(log, old)
        #expect(again.register[0].nextWake == .distantFuture && !again.hasOtherZones)
    }

    @Test func `of an empty log there is nothing to take`() throws {
        let disk = SimulatedDisk()
        let beginning = try WrittenHistory.standard().beginning
        #expect(throws: JournalError.self) { try SnapshotTaking(WrittenHistory.directory, on: disk, beginning).run() }
        try Journal(WrittenHistory.directory, on: disk, holder: "the test").close()
        let folded = try FoldedLog.load(LogReader(WrittenHistory.directory, on: disk), beginning)
        #expect(folded.head == .start && folded.register.people.isEmpty)
        #expect(try folded.write(to: WrittenHistory.directory, on: disk) == 0)
    }

    /// As in a log of a newer program, with people of whom only that one knows anything.
    @Test func `where the log numbers people otherwise, none is kept`() throws {
        let log = try WrittenHistory.standard()
        let journal = try Journal(WrittenHistory.directory, on: log.disk, holder: "the test")
        var adopted = PolicyAdopted()
        adopted.policy = JSONDocument(trusted: log.beginning.policy)
        _ = try journal.append(
            [Entry(user: "nobody known", payload: .policyAdopted(adopted))], at: log.history.commits[0][0].at)
        try journal.close()
        try log.write(0..<log.history.commits.count)
        let taken = try #require(try log.take())
        #expect(!taken.isStateKept && taken.stateBytes == 0 && taken.indexBytes > 0)
        let folded = try log.load()
        #expect(folded.snapshot == nil)
        // What happened to one person is never another's, whatever their numbers are.
        var plain = Register(log.beginning.plan)
        for event in log.history.events { plain.fold(event) }
        #expect(Array(folded.register.names) == Array(plain.names))
        for (person, same) in zip(folded.register.people, plain.people) {
            #expect(person.settledThrough == same.settledThrough && person.lastActiveAt == same.lastActiveAt)
            #expect(person.marks.map(\.at) == same.marks.map(\.at))
            #expect(person.details.waiting.map(\.notice.name) == same.details.waiting.map(\.notice.name))
        }
    }

    @Test func `two are not taken at once`() throws {
        let log = try WrittenHistory.standard()
        try log.write(0..<log.history.commits.count)
        let other = try #require(try SnapshotLock(WrittenHistory.directory, on: log.disk))
        #expect(try log.take() == nil)
        withExtendedLifetime(other) {}
    }

    @Test func `a snapshot is never ahead of what is known to be durable (G3)`() throws {
        let log = try WrittenHistory.standard()
        try log.write(0..<10)
        let durable = try #require(try LogReader(WrittenHistory.directory, on: log.disk).durablePosition)
        let witness = try #require(log.disk.contents("/data/log/durable"))
        try log.write(10..<log.history.commits.count)
        // As a reader sees it that comes between a write and its sync.
        log.disk.setContents("/data/log/durable", witness)
        #expect(try #require(try log.take()).head.position == durable)
    }
}
