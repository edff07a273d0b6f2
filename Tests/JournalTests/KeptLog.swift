@testable import Journal
import Notices
import Simulation
import Testing

/// A log that was written and closed, to be tampered with: each try gets a disk of its own.
struct KeptLog {
    let scribe: Scribe
    let disk: SimulatedDisk
    let whole: WholeLog
    let files: [String: [UInt8]]

    /// Every commit in a batch of its own unless the script says otherwise.
    init(
        segmentBytesMax: Int = 1 << 20, hasSnapshot: Bool = false,
        _ script: (Scribe) throws -> Void = KeptLog.manyCommits
    ) throws {
        let options = JournalOptions(
            segmentBytesMax: segmentBytesMax, snapshotEveryBytes: hasSnapshot ? 0 : 1 << 20)
        scribe = Scribe(on: SimulatedDisk(), options)
        try scribe.open()
        try script(scribe)
        if scribe.journal != nil { try scribe.close() }
        disk = scribe.disk.recovered(.kept, seed: 0)
        whole = try WholeLog(Scribe.directory, on: disk)
        files = try disk.files(in: Scribe.directory)
    }

    static func manyCommits(_ scribe: Scribe) throws {
        for count in [1, 3, 2, 1, 4, 1] {
            try scribe.append(count)
            try scribe.commit()
        }
    }

    /// A disk with the log on it, as `change` leaves it.
    func changed(_ change: (SimulatedDisk) throws -> Void) rethrows -> SimulatedDisk {
        let copy = disk.copy()
        try change(copy)
        return copy
    }

    var segments: [String] {
        get throws { try disk.segments(in: Scribe.directory) }
    }

    func lastSegment() throws -> (path: String, bytes: [UInt8], first: UInt64) {
        let path = try #require(try segments.last)
        let first = try #require(LogFile.firstPosition(DiskPath.name(of: path)))
        return (path, try #require(disk.contents(path)), first)
    }

    /// The file that the next segment would be, and its header.
    func nextSegment() throws -> (path: String, header: [UInt8]) {
        let identity = try #require(try LogDirectory(Scribe.directory, on: disk).identity)
        let people = Set(whole.commits.joined().compactMap(\.event.user)).count
        var buffer = ByteBuffer()
        SegmentHeader(identity: identity, after: whole.head, peopleBefore: people).write(into: &buffer)
        return (DiskPath.join(Scribe.directory, LogFile.segment(whole.head.position)), Array(buffer.bytes))
    }

    /// How many commits a log has of which so much is left.
    func commits(before position: UInt64) -> Int {
        (whole.positions.dropFirst() + [whole.head.position]).count { $0 <= position }
    }

    /// Expects an error that ends the command with code 4, and not a byte changed.
    @discardableResult
    func expectDamage(on disk: SimulatedDisk, _ circumstances: String = "") throws -> JournalError? {
        let before = try disk.files(in: Scribe.directory)
        let error = try journalError { try scribe.onto(disk).open() }
        guard let error, error.isDamage else {
            throw Broken("\(circumstances): opening found \(error.map { "\($0)" } ?? "nothing wrong")")
        }
        guard try disk.files(in: Scribe.directory) == before else {
            throw Broken("\(circumstances): the files were changed, and then \(error)")
        }
        return error
    }
}

extension SimulatedDisk {
    static let witness = DiskPath.join(Scribe.directory, LogFile.witness)
    static let snapshot = DiskPath.join(Scribe.directory, LogFile.index)

    var tornFiles: [String] {
        get throws { try list(Scribe.directory).filter { $0.hasSuffix(LogFile.tornSuffix) } }
    }
}
