import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

@Suite("Snapshots of before an erasure (E1, E3)")
struct SnapshotsOwedTests {
    private static let keys = ["keys", "keys.table", "master.key"]
    private static func path(_ name: String) -> String { "\(SimulatedMachine.directory)/\(name)" }

    private func owed(_ life: ErasedLife) throws -> [String] {
        try LogReader(SimulatedMachine.directory, on: life.machine.disk).snapshotsBeforeErasure()
    }

    @Test func `the log tells which they are`() throws {
        let life = ErasedLife()
        try life.live()
        #expect(try owed(life) == [])
        try life.takeSnapshot()
        #expect(try owed(life) == [])
        for user in ["annalena", "bobolink"] {
            try life.erase(user)
            #expect(try owed(life) == ["index.snapshot", "state.snapshot"])
            try life.takeSnapshot()
            #expect(try owed(life) == [])
        }
    }

    @Test(arguments: [[], [UInt8](repeating: 7, count: 76)])
    func `they are owed though the witness is empty or damaged`(witness: [UInt8]) throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        try life.erase("annalena")
        life.machine.disk.setContents(Self.path("durable"), witness)
        #expect(try owed(life) == ["index.snapshot", "state.snapshot"])
    }

    /// They lie in files of their own, and a killed program removes none.
    @Test(arguments: ["state.snapshot.beside.tmp", "numbers.snapshot.beside.tmp", "numbers.snapshot.worker.tmp"])
    func `what a killed program has left of one goes with them`(draft: String) throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        let bytes = try #require(life.machine.disk.contents(Self.path("state.snapshot")))
        life.machine.disk.setContents(Self.path(draft), bytes)
        try life.erase("annalena")
        #expect(try owed(life).contains(draft))
        try life.takeSnapshot()
        #expect(try life.found() == [])
    }

    @Test func `what a killed writer has left of its index goes with the next start`() throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        let bytes = try #require(life.machine.disk.contents(Self.path("index.snapshot")))
        life.machine.disk.setContents(Self.path("index.snapshot.tmp"), bytes)
        try life.erase("annalena")
        try life.machine.stop()
        life.machine.start()
        try life.takeSnapshot()
        #expect(try life.found() == [])
    }

    @Test func `one that an erasure overtakes is taken again`() throws {
        nonisolated(unsafe) let life = ErasedLife()
        try life.live()
        let isErased = Mutex(false)
        var beginning = Beginning.standard(ShippedPlans.zones)
        beginning.meanwhile = { _ in
            let isFirst = isErased.withLock { isErased in
                defer { isErased = true }
                return !isErased
            }
            if isFirst { _ = try? life.erase("annalena") }
        }
        let taken = try SnapshotTaking(SimulatedMachine.directory, on: life.machine.disk, beginning).run()
        #expect(isErased.withLock { $0 } && life.machine.core?.person("annalena") == nil)
        #expect(taken?.isOvertaken == false)
        #expect(try life.found() == [])
    }

    /// How many files are opened to write the index anew when so many of some people were erased since it was written.
    private func filesOpened(erasing count: Int) throws -> Int {
        let life = ErasedLife()
        life.machine.start()
        let users = (0..<20).map { "person-\($0)" }
        for user in users {
            try life.tell(user, #""type":"user_enrolled","id":"of-\#(user)","data":{"timezone":"Europe/Paris"}"#)
        }
        try life.takeSnapshot()
        for user in users.prefix(count) { try life.erase(user) }
        let disk = life.machine.disk
        let log = try LogReader(SimulatedMachine.directory, on: disk)
        let before = disk.operations
        disk.countReads = true
        _ = try log.writeIndex(through: log.endPosition, draftSuffix: ".beside")
        return disk.log.dropFirst(before).count { $0.contains(" open ") }
    }

    /// The trail of each is followed, and then the ids of all of them are dropped together.
    @Test func `the fact ids of many go in one go`() throws {
        let (one, all) = try (filesOpened(erasing: 1), filesOpened(erasing: 20))
        #expect(one > 0 && all - one < 2 * 19, "\(one) for one, \(all) for twenty")
    }

    private func figures(of life: ErasedLife) throws -> Numbers {
        let log = try LogReader(SimulatedMachine.directory, on: life.machine.disk)
        var numbers = Numbers(of: try #require(log.identity), .standard(ShippedPlans.zones))
        try numbers.read(log)
        return numbers
    }

    private func keep(_ numbers: Numbers, _ life: ErasedLife) throws -> Int {
        try numbers.keep(in: SimulatedMachine.directory, on: life.machine.disk, .standard(ShippedPlans.zones))
    }

    @Test func `figures that were counted before it are dropped, and not kept again`() throws {
        let life = ErasedLife()
        try life.live()
        let numbers = try figures(of: life)
        #expect(try keep(numbers, life) > 0)
        #expect(try !life.found(["her-own-word"]).isEmpty)
        try life.erase("annalena")
        #expect(try owed(life) == ["numbers.snapshot"])
        try life.takeSnapshot()
        #expect(try life.found() == [])
        #expect(try keep(numbers, life) == 0)
        #expect(try life.found() == [])
    }

    @Test func `figures are not kept while somebody takes snapshots`() throws {
        let life = ErasedLife()
        try life.live()
        let numbers = try figures(of: life)
        let held = try #require(try SnapshotLock(SimulatedMachine.directory, on: life.machine.disk))
        #expect(try keep(numbers, life) == 0)
        withExtendedLifetime(held) {}
    }

    // MARK: A copy of before

    /// Each snapshot that the copy has names her: the log alone cannot any more.
    @Test(arguments: [["index.snapshot"], ["state.snapshot"], ["index.snapshot", "state.snapshot"]])
    func `E3: a copy of before with its own snapshots brings nobody back`(snapshots: [String]) throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        try life.machine.stop()
        let names = try life.machine.disk.list(SimulatedMachine.directory).filter {
            !Self.keys.contains($0) && (!$0.hasSuffix(".snapshot") || snapshots.contains($0))
        }
        let copy = names.map { ($0, life.machine.disk.contents(Self.path($0)) ?? []) }
        life.machine.start()
        try life.erase("annalena")
        try life.takeSnapshot()
        try life.machine.stop()
        for name in try life.machine.disk.list(SimulatedMachine.directory) where !Self.keys.contains(name) {
            try life.machine.disk.remove(Self.path(name))
        }
        try life.machine.disk.syncDirectory(SimulatedMachine.directory)
        for (name, bytes) in copy { life.machine.disk.setContents(Self.path(name), bytes) }
        // Nothing of what was there before is in memory.
        life.machine.crash(.kept, seed: 4)
        let opening = try WorkerOpening(
            SimulatedMachine.directory, on: life.machine.disk, holder: "a test", .standard(ShippedPlans.zones))
        #expect(opening.erasedAnew == ["[erased 0]"])
        #expect(opening.core.person("annalena") == nil && opening.core.person("bobolink") != nil)
        let heard = Mutex(false)
        opening.whenErasedAnew { heard.withLock { $0 = true } }
        let clock = life.machine.clock
        _ = opening.core.takeAlone([], allOrNothing: false, clock: { clock })
        #expect(heard.withLock { $0 })
        try opening.core.close()
        try life.takeSnapshot()
        #expect(try life.found() == [])
        #expect(try life.replay().differing == 0)
    }
}
