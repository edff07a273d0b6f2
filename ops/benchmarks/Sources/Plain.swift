import Foundation
import Journal
import Synchronization

/// What the disk itself can do: write and fdatasync, and nothing else.
enum Plain {
    static func loop(in directory: String, bytes: Int, piece: Int) throws -> (bytesPerSecond: Double, seconds: Double) {
        let disk = RealDisk()
        let file = try disk.open(directory + "/plain", .create)
        defer { disk.close(file) }
        let buffer = [UInt8](repeating: 0x5A, count: piece)
        var offset = 0
        let start = seconds()
        while offset + piece <= bytes {
            try disk.writeAll(file, buffer, at: offset)
            try disk.syncData(file)
            offset += piece
        }
        let elapsed = seconds() - start
        return (Double(offset) / elapsed, elapsed)
    }

    /// How long a sync of one small appended write takes.
    static func syncTimes(in directory: String, count: Int) throws -> [Double] {
        let disk = RealDisk()
        let file = try disk.open(directory + "/sync", .create)
        defer { disk.close(file) }
        let buffer = [UInt8](repeating: 0x5A, count: 4096)
        return try (0..<count).map { round in
            try disk.writeAll(file, buffer, at: round * buffer.count)
            let start = seconds()
            try disk.syncData(file)
            return seconds() - start
        }
    }
}

/// The real disk, counting what goes to it.
final class CountingDisk: Disk {
    private let real = RealDisk()
    private let counts = Mutex((bytes: 0, syncs: 0))

    var bytesWritten: Int { counts.withLock { $0.bytes } }
    var syncs: Int { max(1, counts.withLock { $0.syncs }) }

    func write(_ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        let written = try real.write(file, bytes, at: offset)
        counts.withLock { $0.bytes += written }
        return written
    }

    func syncData(_ file: DiskFile) throws(DiskError) {
        try real.syncData(file)
        counts.withLock { $0.syncs += 1 }
    }

    func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile { try real.open(path, mode) }
    func close(_ file: DiskFile) { real.close(file) }
    func size(of file: DiskFile) throws(DiskError) -> Int { try real.size(of: file) }
    func read(_ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try real.read(file, into: buffer, at: offset)
    }
    func truncate(_ file: DiskFile, to size: Int) throws(DiskError) { try real.truncate(file, to: size) }
    func syncDirectory(_ path: String) throws(DiskError) { try real.syncDirectory(path) }
    func rename(_ from: String, to: String) throws(DiskError) { try real.rename(from, to: to) }
    func remove(_ path: String) throws(DiskError) { try real.remove(path) }
    func list(_ path: String) throws(DiskError) -> [String] { try real.list(path) }
    func makeDirectory(_ path: String) throws(DiskError) { try real.makeDirectory(path) }
    func status(of path: String) throws(DiskError) -> DiskStatus? { try real.status(of: path) }
    func status(of file: DiskFile) throws(DiskError) -> DiskStatus { try real.status(of: file) }
    func freeSpace(at path: String) throws(DiskError) -> Int { try real.freeSpace(at: path) }
    func lock(_ file: DiskFile) throws(DiskError) -> Bool { try real.lock(file) }
}
