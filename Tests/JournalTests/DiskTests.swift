import Foundation
import Journal
import Simulation
import Testing

/// The two disks, each to be tried by the same suite.
enum DiskKind: CaseIterable, CustomTestStringConvertible {
    case real, simulated

    var testDescription: String { self == .real ? "the real disk" : "the simulated disk" }

    /// Runs a test on a disk with an empty directory of its own, which is gone afterwards.
    func withDirectory(_ test: (any Disk, _ directory: String) throws -> Void) throws {
        switch self {
        case .simulated:
            let disk = SimulatedDisk()
            try disk.makeDirectory("/case")
            try test(disk, "/case")
        case .real:
            let directory = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try test(RealDisk(), directory.path)
        }
    }
}

@Suite("What every disk does")
struct DiskTests {
    @Test(arguments: DiskKind.allCases) func `what is written is read back`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let path = directory + "/a"
            let file = try disk.open(path, .create)
            try disk.writeAll(file, Array("hello, world".utf8), at: 0)
            try disk.writeAll(file, Array("W".utf8), at: 7)
            #expect(try disk.size(of: file) == 12)
            disk.close(file)
            #expect(try disk.contents(of: path, limit: 12) == Array("hello, World".utf8))
        }
    }

    @Test(arguments: DiskKind.allCases) func `a read stops at the end of the file`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let file = try disk.open(directory + "/a", .create)
            defer { disk.close(file) }
            try disk.writeAll(file, [1, 2, 3], at: 0)
            #expect(try disk.bytes(of: file, 10, at: 1) == [2, 3])
            #expect(try disk.bytes(of: file, 10, at: 3) == [])
            #expect(try disk.bytes(of: file, 10, at: 99) == [])
            #expect(try disk.bytes(of: file, 0, at: 0) == [])
        }
    }

    @Test(arguments: DiskKind.allCases) func `to write nothing writes nothing`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let file = try disk.open(directory + "/a", .create)
            defer { disk.close(file) }
            #expect(try disk.write(file, UnsafeRawBufferPointer(start: nil, count: 0), at: 5) == 0)
            #expect(try disk.size(of: file) == 0)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a gap reads as zeros`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let file = try disk.open(directory + "/a", .create)
            defer { disk.close(file) }
            try disk.writeAll(file, [9], at: 3)
            try disk.truncate(file, to: 6)
            #expect(try disk.bytes(of: file, 10, at: 0) == [0, 0, 0, 9, 0, 0])
            try disk.truncate(file, to: 2)
            #expect(try disk.size(of: file) == 2)
            try disk.syncData(file)
            #expect(diskErrorCode { try disk.truncate(file, to: -1) } == ErrorCode.invalid)
        }
    }

    @Test(arguments: DiskKind.allCases) func `the modes of opening`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let path = directory + "/a"
            #expect(disk.code(opening: path, .read) == ErrorCode.notFound)
            #expect(disk.code(opening: path, .write) == ErrorCode.notFound)
            disk.close(try disk.open(path, .create))
            #expect(disk.code(opening: path, .create) == ErrorCode.alreadyThere)
            for mode in [OpenMode.read, .write, .createOrOpen] { disk.close(try disk.open(path, mode)) }
            disk.close(try disk.open(directory + "/b", .createOrOpen))
            #expect(try disk.list(directory) == ["a", "b"])
            for mode in [OpenMode.read, .write, .createOrOpen] {
                #expect(disk.code(opening: directory, mode) == ErrorCode.isADirectory)
            }
            #expect(disk.code(opening: path + "/below", .create) == ErrorCode.notADirectory)
            #expect(disk.code(opening: directory + "/none/below", .create) == ErrorCode.notFound)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a file opened to be read is not written`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            disk.close(try disk.open(directory + "/a", .create))
            let file = try disk.open(directory + "/a", .read)
            defer { disk.close(file) }
            #expect(diskErrorCode { try disk.writeAll(file, [1], at: 0) } == ErrorCode.badFile)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a list is sorted and complete`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let names = (0..<300).map { "name-\($0)" }
            for name in names.shuffled() { disk.close(try disk.open(directory + "/" + name, .create)) }
            try disk.makeDirectory(directory + "/below")
            #expect(try disk.list(directory) == (names + ["below"]).sorted())
            #expect(diskErrorCode { _ = try disk.list(directory + "/none") } == ErrorCode.notFound)
            #expect(diskErrorCode { _ = try disk.list(directory + "/name-1") } == ErrorCode.notADirectory)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a directory is made once and for all`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let path = directory + "/below"
            try disk.makeDirectory(path)
            disk.close(try disk.open(path + "/a", .create))
            try disk.makeDirectory(path)
            try disk.syncDirectory(path)
            try disk.syncDirectory(directory)
            #expect(try disk.list(path) == ["a"])
            #expect(diskErrorCode { try disk.makeDirectory(path + "/a") } == ErrorCode.alreadyThere)
            #expect(diskErrorCode { try disk.makeDirectory(path + "/x/y") } == ErrorCode.notFound)
            #expect(diskErrorCode { try disk.syncDirectory(directory + "/none") } == ErrorCode.notFound)
            #expect(diskErrorCode { try disk.syncDirectory(path + "/a") } == ErrorCode.notADirectory)
        }
    }

    @Test(arguments: DiskKind.allCases) func `the status tells what is there and whose`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let file = try disk.open(directory + "/a", .create)
            try disk.writeAll(file, [1, 2, 3], at: 0)
            disk.close(file)
            let status = try #require(try disk.status(of: directory + "/a"))
            #expect(status.kind == .file)
            #expect(status.size == 3)
            #expect(status.isMine)
            let above = try #require(try disk.status(of: directory))
            #expect(above.kind == .directory)
            #expect(above.owner == status.owner)
            #expect(try disk.status(of: directory + "/none") == nil)
            #expect(try disk.status(of: directory + "/none/below") == nil)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a rename replaces in one step`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            for (name, byte) in [("a", UInt8(1)), ("b", 2)] {
                let file = try disk.open(directory + "/" + name, .create)
                try disk.writeAll(file, [byte], at: 0)
                disk.close(file)
            }
            let replaced = try disk.open(directory + "/b", .read)
            defer { disk.close(replaced) }
            try disk.rename(directory + "/a", to: directory + "/b")
            #expect(try disk.list(directory) == ["b"])
            #expect(try disk.contents(of: directory + "/b", limit: 1) == [1])
            #expect(try disk.bytes(of: replaced, 1, at: 0) == [2])
            #expect(diskErrorCode { try disk.rename(directory + "/a", to: directory + "/c") } == ErrorCode.notFound)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a removed file is still read by who has it open`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let file = try disk.open(directory + "/a", .create)
            defer { disk.close(file) }
            try disk.writeAll(file, [7], at: 0)
            try disk.remove(directory + "/a")
            #expect(try disk.list(directory) == [])
            #expect(try disk.bytes(of: file, 1, at: 0) == [7])
            #expect(diskErrorCode { try disk.remove(directory + "/a") } == ErrorCode.notFound)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a lock has one holder, until it closes`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let first = try disk.open(directory + "/lock", .createOrOpen)
            let second = try disk.open(directory + "/lock", .createOrOpen)
            defer { disk.close(second) }
            #expect(try disk.lock(first))
            #expect(try disk.lock(first))
            #expect(try !disk.lock(second))
            disk.close(first)
            #expect(try disk.lock(second))
        }
    }

    @Test(arguments: DiskKind.allCases) func `there is free space, of what is there`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let space = try disk.freeSpace(at: directory)
            #expect(space > 0)
            #expect(diskErrorCode { _ = try disk.freeSpace(at: directory + "/none") } == ErrorCode.notFound)
        }
    }

    @Test(arguments: DiskKind.allCases) func `a file is replaced whole`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let path = directory + "/a"
            try disk.writeAtomically(path, [1, 2, 3])
            try disk.writeAtomically(path, [4])
            #expect(try disk.contents(of: path, limit: 100) == [4])
            try disk.writeAtomically(path, [])
            #expect(try disk.contents(of: path, limit: 100) == [])
            #expect(try disk.list(directory) == ["a"])
        }
    }

    @Test(arguments: DiskKind.allCases) func `a draft that a crash left is reused`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let left = try disk.open(directory + "/a.tmp", .create)
            try disk.writeAll(left, [9, 9, 9, 9], at: 0)
            disk.close(left)
            try disk.writeAtomically(directory + "/a", [1])
            #expect(try disk.contents(of: directory + "/a", limit: 100) == [1])
        }
    }

    @Test(arguments: DiskKind.allCases) func `a file over the limit is not read`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            try disk.writeAtomically(directory + "/a", [1, 2, 3])
            #expect(diskErrorCode { _ = try disk.contents(of: directory + "/a", limit: 2) } == ErrorCode.tooLarge)
        }
    }

    @Test(arguments: DiskKind.allCases) func `an error names verb, path and reason`(kind: DiskKind) throws {
        try kind.withDirectory { disk, directory in
            let error = #expect(throws: DiskError.self) { try disk.open(directory + "/none", .read) }
            #expect(error?.description == "cannot open \(directory)/none: No such file or directory (ENOENT)")
            #expect(error?.isNotFound == true)
        }
    }

    @Test func `the messages and the kinds of errors`() {
        let full = DiskError(.write, "events/log/0000.seg", ErrorCode.noSpace)
        #expect(full.description == "cannot write events/log/0000.seg: No space left on device (ENOSPC)")
        #expect(full.isOutOfSpace && !full.isNotFound && !full.isNotAllowed && !full.isAlreadyThere)
        #expect(DiskError(.open, "a", ErrorCode.readOnly).isNotAllowed)
        #expect(DiskError(.open, "a", ErrorCode.alreadyThere).isAlreadyThere)
    }

    @Test(arguments: [
        ("a/b", "a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("/", "/", ""), ("a/b/", "a", "b"), ("a//b", "a", "b"),
        ("", ".", ""),
    ])
    func `the parent and the name in a path`(path: String, parent: String, name: String) {
        #expect(DiskPath.parent(of: path) == parent)
        #expect(DiskPath.name(of: path) == name)
    }
}

@Suite("What only the real disk can show")
struct RealDiskTests {
    @Test func `files and directories are not for everyone, and are not inherited`() throws {
        try DiskKind.real.withDirectory { disk, directory in
            try disk.makeDirectory(directory + "/below")
            let file = try disk.open(directory + "/a", .create)
            defer { disk.close(file) }
            #expect(try permissions(directory + "/a") & 0o137 == 0)
            #expect(try permissions(directory + "/below") & 0o027 == 0)
            #expect(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test func `a pipe is neither file nor directory`() throws {
        try DiskKind.real.withDirectory { disk, directory in
            try #require(mkfifo(directory + "/pipe", 0o600) == 0)
            #expect(try disk.status(of: directory + "/pipe")?.kind == .other)
        }
    }

    @Test func `a pipe is refused at once, whatever for`() throws {
        try DiskKind.real.withDirectory { disk, directory in
            let path = directory + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            for mode in [OpenMode.read, .write, .createOrOpen] {
                let error = #expect(throws: DiskError.self) { try disk.open(path, mode) }
                #expect(error?.code == ErrorCode.noSuchDevice)
                #expect(error?.advice == "It is no regular file: move away what lies there")
            }
        }
    }

    @Test func `a link is not followed, whatever for`() throws {
        try DiskKind.real.withDirectory { disk, directory in
            let victim = directory + "/victim"
            try disk.writeAtomically(victim, [1, 2, 3])
            for target in [victim, directory + "/nothing"] {
                let link = directory + "/link"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                for mode in [OpenMode.read, .write, .createOrOpen] {
                    #expect(disk.code(opening: link, mode) == ErrorCode.symbolicLink)
                }
                #expect(disk.code(opening: link, .create) == ErrorCode.alreadyThere)
                // A file is put in its place, not where it leads.
                try disk.writeAtomically(link, [4])
                #expect(try disk.contents(of: link, limit: 9) == [4])
                try disk.remove(link)
                try FileManager.default.createSymbolicLink(atPath: link + ".tmp", withDestinationPath: target)
                try disk.writeAtomically(link, [5])
                #expect(try disk.contents(of: link, limit: 9) == [5])
                try disk.remove(link)
            }
            #expect(try disk.contents(of: victim, limit: 9) == [1, 2, 3])
            #expect(try disk.list(directory) == ["victim"])
        }
    }

    @Test func `a full device says so`() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let disk = RealDisk()
        let file = try disk.open("/dev/full", .write)
        defer { disk.close(file) }
        let error = #expect(throws: DiskError.self) { try disk.writeAll(file, [1], at: 0) }
        #expect(error?.isOutOfSpace == true)
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}

extension Disk {
    func bytes(of file: DiskFile, _ count: Int, at offset: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: count)
        let read = try bytes.withUnsafeMutableBytes { try readAll(file, into: $0, at: offset) }
        return Array(bytes.prefix(read))
    }

    func code(opening path: String, _ mode: OpenMode) -> Int32? {
        diskErrorCode { close(try open(path, mode)) }
    }
}

/// The code of the disk's error that some work ends in, `nil` when it succeeds.
func diskErrorCode(_ work: () throws -> Void) -> Int32? {
    do {
        try work()
        return nil
    } catch {
        return (error as? DiskError)?.code
    }
}
