import Journal
import Simulation
import Testing

@Suite("What a power cut leaves on the simulated disk")
struct DiskPowerCutTests {
    /// A disk with a durable file `/a` of 1,000 ones, which has been opened.
    private func diskWithFile(seed: UInt64 = 1) throws -> (SimulatedDisk, DiskFile) {
        let disk = SimulatedDisk(seed: seed)
        disk.setContents("/a", [UInt8](repeating: 1, count: 1000))
        return (disk, try disk.open("/a", .write))
    }

    @Test(arguments: Fate.allCases) func `what was synced stays`(fate: Fate) throws {
        for seed in UInt64(0)..<20 {
            let disk = SimulatedDisk()
            let file = try disk.open("/a", .create)
            try disk.writeAll(file, [1, 2, 3], at: 0)
            try disk.syncData(file)
            try disk.syncDirectory("/")
            #expect(disk.recovered(fate, seed: seed).contents("/a") == [1, 2, 3])
        }
    }

    @Test func `lost loses all that was not synced, kept loses nothing`() throws {
        let (disk, file) = try diskWithFile()
        try disk.writeAll(file, [2, 2], at: 999)
        try disk.remove("/a")
        disk.close(try disk.open("/b", .create))
        let lost = disk.recovered(.lost, seed: 0)
        #expect(lost.contents("/a") == [UInt8](repeating: 1, count: 1000))
        #expect(try lost.list("/") == ["a"])
        #expect(try disk.recovered(.kept, seed: 0).list("/") == ["b"])
    }

    @Test func `torn leaves the first changes and a part of the next`() throws {
        let (disk, file) = try diskWithFile()
        try disk.writeAll(file, [UInt8](repeating: 2, count: 2000), at: 1000)
        try disk.writeAll(file, [UInt8](repeating: 3, count: 2000), at: 3000)
        let ones = [UInt8](repeating: 1, count: 1000)
        let whole = ones + [UInt8](repeating: 2, count: 2000) + [UInt8](repeating: 3, count: 2000)
        var lengths: Set<Int> = []
        for seed in UInt64(0)..<300 {
            let bytes = try #require(disk.recovered(.torn, seed: seed).contents("/a"))
            lengths.insert(bytes.count)
            #expect(bytes == Array(whole.prefix(bytes.count)), "seed \(seed)")
        }
        #expect(lengths.isSuperset(of: [1000, 1024, 3000, 5000]))
        #expect(lengths.contains { $0 % 512 != 0 && $0 % 1000 != 0 })
    }

    @Test func `torn keeps the order of all files and names together`() throws {
        let disk = SimulatedDisk()
        for name in ["/a", "/b", "/c"] {
            let file = try disk.open(name, .create)
            try disk.writeAll(file, [1], at: 0)
        }
        var seen: Set<[String]> = []
        for seed in UInt64(0)..<100 {
            let later = disk.recovered(.torn, seed: seed)
            let names = try later.list("/")
            seen.insert(names)
            for name in names.dropLast() { #expect(later.contents("/" + name) == [1]) }
        }
        #expect(seen == [[], ["a"], ["a", "b"], ["a", "b", "c"]])
    }

    @Test func `reordered keeps and loses sectors, and may leave holes`() throws {
        let (disk, file) = try diskWithFile()
        try disk.writeAll(file, [UInt8](repeating: 2, count: 1048), at: 1000)
        var seen: Set<[UInt8]> = []
        for seed in UInt64(0)..<300 {
            let bytes = try #require(disk.recovered(.reordered, seed: seed).contents("/a"))
            #expect([1000, 1024, 1536, 2048].contains(bytes.count))
            #expect(bytes.prefix(1000).allSatisfy { $0 == 1 })
            // One byte of each sector that the write touched; each sector is of one piece.
            let places = [1000, 1024, 1536].filter { $0 < bytes.count }
            for (start, end) in [(1000, 1024), (1024, 1536), (1536, 2048)] where end <= bytes.count {
                #expect(Set(bytes[start..<end]).count == 1)
            }
            seen.insert(places.map { bytes[$0] })
        }
        #expect(seen.isSuperset(of: [[], [2], [0, 0, 0], [0, 2], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 0]]))
    }

    @Test func `a synced file without a synced name can be lost`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/a", .create)
        try disk.writeAll(file, [1], at: 0)
        try disk.syncData(file)
        #expect(disk.recovered(.lost, seed: 0).contents("/a") == nil)
        let found = Set((UInt64(0)..<50).map { disk.recovered(.reordered, seed: $0).contents("/a") })
        #expect(found == [nil, [1]])
    }

    @Test func `a synced name says nothing of the bytes`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/a", .create)
        try disk.writeAll(file, [1], at: 0)
        try disk.syncDirectory("/")
        #expect(disk.recovered(.lost, seed: 0).contents("/a") == [])
    }

    @Test func `a directory takes what is in it along`() throws {
        let disk = SimulatedDisk()
        try disk.makeDirectory("/below")
        try disk.writeAtomically("/below/a", [1])
        #expect(try disk.recovered(.lost, seed: 0).status(of: "/below/a") == nil)
        try disk.syncDirectory("/")
        #expect(disk.recovered(.lost, seed: 0).contents("/below/a") == [1])
    }

    @Test func `what a file was renamed from and to is synced with either directory`() throws {
        for synced in ["/one", "/two"] {
            let disk = SimulatedDisk()
            for directory in ["/one", "/two"] { try disk.makeDirectory(directory) }
            try disk.syncDirectory("/")
            disk.close(try disk.open("/one/a", .create))
            try disk.rename("/one/a", to: "/two/b")
            try disk.syncDirectory(synced)
            let later = disk.recovered(.lost, seed: 0)
            #expect(try later.list("/one") == [])
            #expect(try later.list("/two") == ["b"])
        }
    }

    @Test func `the same seed leaves the same`() throws {
        let (disk, file) = try diskWithFile()
        for round in 0..<20 { try disk.writeAll(file, [UInt8](repeating: 9, count: 700), at: round * 600) }
        for fate in Fate.allCases {
            let first = disk.recovered(fate, seed: 42).contents("/a")
            #expect(disk.recovered(fate, seed: 42).contents("/a") == first)
        }
    }

    @Test(arguments: Fate.allCases) func `a file replaced whole is the old or the new`(fate: Fate) throws {
        let old = [UInt8](repeating: 1, count: 1500)
        let new = [UInt8](repeating: 2, count: 900)
        let rehearsal = SimulatedDisk()
        rehearsal.setContents("/dir/a", old)
        try rehearsal.writeAtomically("/dir/a", new)
        for k in 0...rehearsal.operations {
            for seed in UInt64(0)..<40 {
                let disk = SimulatedDisk(seed: seed)
                disk.setContents("/dir/a", old)
                disk.crash(after: k, half: seed % 2 == 1)
                let isDone = (try? disk.writeAtomically("/dir/a", new)) != nil
                let found = disk.recovered(fate, seed: seed).contents("/dir/a")
                #expect(found == new || (found == old && !isDone), "k \(k), seed \(seed), \(disk.log)")
            }
        }
    }
}

@Suite("What the simulated disk counts and fails")
struct DiskFaultTests {
    @Test func `operations that change something are numbered`() throws {
        let disk = SimulatedDisk()
        try disk.makeDirectory("/d")
        let file = try disk.open("/d/a", .create)
        try disk.writeAll(file, [1, 2], at: 0)
        try disk.truncate(file, to: 1)
        try disk.syncData(file)
        _ = try disk.size(of: file)
        disk.close(file)
        _ = try disk.contents(of: "/d/a", limit: 9)
        _ = try disk.list("/d")
        try disk.syncDirectory("/d")
        try disk.rename("/d/a", to: "/d/b")
        try disk.remove("/d/b")
        #expect(disk.operations == 8)
        #expect(disk.log.count == 8)
        #expect(disk.log[2] == "3 write /d/a 2 bytes at 0")
        #expect(disk.log[6] == "7 rename /d/a to /d/b")
    }

    @Test func `reads are numbered when they count`() throws {
        let disk = SimulatedDisk()
        disk.setContents("/a", [1])
        disk.countReads = true
        disk.faults[3] = .error(ErrorCode.inputOutput)
        #expect(diskErrorCode { _ = try disk.contents(of: "/a", limit: 9) } == ErrorCode.inputOutput)
        #expect(disk.log == ["1 open /a", "2 size /a", "3 read /a: EIO"])
    }

    @Test func `after k operations the power is gone`() throws {
        for k in 0...4 {
            let disk = SimulatedDisk()
            disk.crash(after: k)
            #expect(
                diskErrorCode {
                    let file = try disk.open("/a", .create)
                    for place in 0..<9 { try disk.writeAll(file, [1], at: place) }
                } == SimulatedDisk.powerLost)
            #expect(disk.operations == k)
            #expect(!disk.isPowered)
            #expect(diskErrorCode { _ = try disk.list("/") } == SimulatedDisk.powerLost)
            #expect(diskErrorCode { disk.close(try disk.open("/a", .read)) } == SimulatedDisk.powerLost)
            let later = disk.recovered(.kept, seed: 0)
            #expect(later.contents("/a")?.count == (k == 0 ? nil : k - 1))
            #expect(later.operations == 0)
            #expect(later.isPowered)
        }
    }

    @Test func `the last operation can be half done`() throws {
        var lengths: Set<Int> = []
        for seed in UInt64(0)..<100 {
            let disk = SimulatedDisk(seed: seed)
            let file = try disk.open("/a", .create)
            disk.crash(after: 2, half: true)
            #expect(diskErrorCode { try disk.writeAll(file, [1, 2, 3], at: 0) } == SimulatedDisk.powerLost)
            #expect(diskErrorCode { try disk.syncData(file) } == SimulatedDisk.powerLost)
            lengths.insert(disk.recovered(.kept, seed: 0).contents("/a")?.count ?? -1)
        }
        #expect(lengths == [0, 1, 2])
    }

    @Test func `an operation that fails has done nothing`() throws {
        let disk = SimulatedDisk()
        disk.faults = [2: .error(ErrorCode.noSpace), 4: .error(ErrorCode.inputOutput)]
        let file = try disk.open("/a", .create)
        #expect(diskErrorCode { try disk.writeAll(file, [1], at: 0) } == ErrorCode.noSpace)
        #expect(disk.contents("/a") == [])
        try disk.writeAll(file, [2], at: 0)
        #expect(diskErrorCode { try disk.rename("/a", to: "/b") } == ErrorCode.inputOutput)
        #expect(try disk.list("/") == ["a"])
    }

    @Test func `short writes and short reads are completed`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/a", .create)
        disk.faults = [2: .shortWrite(3), 3: .shortWrite(0), 4: .shortWrite(99)]
        let bytes = (0..<10).map { UInt8($0) }
        try disk.writeAll(file, bytes, at: 0)
        #expect(disk.operations == 4)
        disk.readLimit = 4
        #expect(try disk.contents(of: "/a", limit: 10) == bytes)
    }

    @Test(arguments: Fate.allCases) func `what a failed sync lost no later sync brings back`(fate: Fate) throws {
        let disk = SimulatedDisk()
        disk.setContents("/a", [1, 1])
        let file = try disk.open("/a", .write)
        disk.faults[2] = .error(ErrorCode.inputOutput)
        try disk.writeAll(file, [2, 2], at: 0)
        #expect(diskErrorCode { try disk.syncData(file) } == ErrorCode.inputOutput)
        try disk.writeAll(file, [3], at: 3)
        try disk.syncData(file)
        #expect(disk.contents("/a") == [2, 2, 0, 3])
        #expect(disk.restarted().contents("/a") == [2, 2, 0, 3])
        #expect(disk.recovered(fate, seed: 7).contents("/a") == [1, 1, 0, 3])
        try disk.writeAll(file, [2], at: 1)
        try disk.syncData(file)
        #expect(disk.durableContents("/a") == [1, 2, 0, 3])
    }

    @Test func `from some point on no sync succeeds`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/a", .create)
        try disk.syncData(file)
        disk.failEverySyncAfter(disk.operations)
        try disk.writeAll(file, [1], at: 0)
        #expect(diskErrorCode { try disk.syncData(file) } == ErrorCode.inputOutput)
        #expect(diskErrorCode { try disk.syncData(file) } == ErrorCode.inputOutput)
        #expect(diskErrorCode { try disk.syncDirectory("/") } == ErrorCode.inputOutput)
        #expect(disk.recovered(.kept, seed: 0).contents("/a") == nil)
    }

    @Test func `a full disk takes what fits`() throws {
        let disk = SimulatedDisk()
        disk.setContents("/other", [0, 0, 0])
        disk.capacity = 8
        let file = try disk.open("/a", .create)
        #expect(try disk.freeSpace(at: "/") == 5)
        #expect(diskErrorCode { try disk.writeAll(file, [1, 2, 3, 4, 5, 6], at: 0) } == ErrorCode.noSpace)
        #expect(disk.contents("/a") == [1, 2, 3, 4, 5])
        try disk.writeAll(file, [9, 9], at: 3)
        #expect(diskErrorCode { try disk.truncate(file, to: 6) } == ErrorCode.noSpace)
        try disk.remove("/other")
        try disk.writeAll(file, [6], at: 5)
        #expect(disk.contents("/a") == [1, 2, 3, 9, 9, 6])
    }

    @Test func `a dead process holds no lock and forgets no write`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/lock", .create)
        try disk.writeAll(file, [1], at: 0)
        #expect(try disk.lock(file))
        let later = disk.restarted()
        #expect(try later.lock(try later.open("/lock", .write)))
        #expect(later.contents("/lock") == [1])
        #expect(later.recovered(.lost, seed: 0).contents("/lock") == nil)
    }

    @Test func `a copy goes its own way`() throws {
        let disk = SimulatedDisk()
        let file = try disk.open("/a", .create)
        let copy = disk.copy()
        try copy.writeAll(file, [1], at: 0)
        #expect(disk.contents("/a") == [])
        #expect(copy.contents("/a") == [1])
    }

    @Test func `what a test puts there is durable, and a bit turns for good`() throws {
        let disk = SimulatedDisk()
        disk.setContents("/d/e/a", [0, 0])
        disk.flipBit(path: "/d/e/a", bit: 9)
        #expect(disk.contents("/d/e/a") == [0, 2])
        #expect(disk.recovered(.lost, seed: 0).contents("/d/e/a") == [0, 2])
        disk.setOwner(of: "/d", to: 1)
        #expect(try disk.status(of: "/d")?.isMine == false)
    }
}

@Suite("The seeded random numbers")
struct SeededRandomTests {
    @Test func `SplitMix64 gives its published sequence`() {
        var random = SeededRandom(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }
}
