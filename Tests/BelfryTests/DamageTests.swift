import Foundation
import Testing

/// Damage is an error that names the file and the byte, never a cut (`G3`), and no command changes anything.
@Suite("A damaged log")
struct DamageTests {
    let shell = Shell()
    private static let first = "events/log/00000000000000000000.segment"
    private static let headerBytes = 104

    init() throws {
        try shell.writeLog(events: 1...60, people: 3, commitsOf: 2, segmentBytes: 1000)
        try #require(shell.segments(of: "events/log").count >= 4)
    }

    /// Every command that reads the log refuses, says the same, and leaves every file as it is.
    private func expectDamage(_ place: String, _ problem: String, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let names = shell.names(in: "events/log").filter { $0 != "lock" }
        let before = try names.map { try shell.read("events/log/" + $0) }
        let complaint =
            "the log is damaged: \(place): \(problem). Nothing was changed. Restore the file from a copy, then run `belfry verify`"
        #expect(shell.belfry("verify") == .failed(4, complaint), sourceLocation: sourceLocation)
        #expect(shell.belfry("verify", "--json") == .failed(4, complaint), sourceLocation: sourceLocation)
        let append = shell.belfry("append", input: fact())
        #expect(append.code == 4, sourceLocation: sourceLocation)
        #expect(append.output == "", sourceLocation: sourceLocation)
        let doctor = shell.belfry("doctor")
        #expect(doctor.code == 1 && doctor.output.contains("FAIL  log"), sourceLocation: sourceLocation)
        #expect(shell.names(in: "events/log").filter { $0 != "lock" } == names, sourceLocation: sourceLocation)
        #expect(try names.map { try shell.read("events/log/" + $0) } == before, sourceLocation: sourceLocation)
    }

    @Test(arguments: [0, 3, 10, 20, 30, 50, 75, 100]) func `a flipped bit in the first commit`(byte: Int) throws {
        try shell.edit(Self.first) { $0[Self.headerBytes + byte] ^= 0x04 }
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 4)
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: \(Self.first), byte 104: "))
    }

    @Test func `a flipped bit in the middle`() throws {
        let segment = shell.segments(of: "events/log")[1]
        try shell.edit(segment) { $0[Self.headerBytes + 80] ^= 0x10 }
        try expectDamage("\(segment), byte 104", "the commit's checksum does not match")
        // What is before it is printed all the same.
        let log = shell.belfry("log")
        #expect(log.code == 4)
        #expect(try log.events().map(\.seq) == Array(1...UInt64(log.lines.count)))
        #expect(log.lines.count > 5)
    }

    @Test func `a segment is missing in the middle`() throws {
        let segments = shell.segments(of: "events/log")
        let missing = try shell.read(segments[1]).count - Self.headerBytes
        let position = try #require(Int(segments[1].dropFirst("events/log/".count).prefix(20)))
        try shell.remove(segments[1])
        try expectDamage(
            segments[1],
            "the log is missing \(missing) bytes from position \(position); the next file is \(segments[2].dropFirst("events/log/".count))"
        )
    }

    @Test func `the last segment is missing`() throws {
        let segments = shell.segments(of: "events/log")
        try shell.remove(try #require(segments.last))
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 4)
        #expect(outcome.errors.contains(segments[segments.count - 2]))
        #expect(outcome.errors.contains("had been acknowledged up to position"))
        #expect(shell.belfry("append", input: fact()).code == 4)
    }

    @Test func `all segments are missing`() throws {
        for segment in shell.segments(of: "events/log") { try shell.remove(segment) }
        let complaint = "no segment is left, but the log had been acknowledged up to position "
        for command in ["verify", "log"] {
            let outcome = shell.belfry(command)
            #expect(outcome.code == 4)
            #expect(outcome.errors.hasPrefix("belfry: the log is damaged: events/log: \(complaint)"))
        }
        #expect(shell.belfry("append", input: fact()).code == 4)
        #expect(shell.belfry("doctor").code == 1)
    }

    @Test(arguments: [1, 8, 60, 100]) func `the last commit is cut though it had been acknowledged`(bytes: Int) throws {
        let last = try #require(shell.segments(of: "events/log").last)
        try shell.edit(last) { $0.removeLast(bytes) }
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 4)
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: \(last), byte "))
        #expect(shell.belfry("append", input: fact()).code == 4)
        #expect(shell.names(in: "events/log").allSatisfy { !$0.hasSuffix(".torn") })
    }

    @Test(arguments: [40, 88]) func `a segment's header that says another thing than the log`(field: Int) throws {
        let segment = shell.segments(of: "events/log")[2]
        try shell.edit(segment) { bytes in
            bytes[field] ^= 0x01
            bytes.replaceSubrange(96..<100, with: crc32c(bytes[..<96]))
        }
        let outcome = shell.belfry("verify")
        #expect(outcome.code == 4)
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: \(segment), byte \(field): "))
    }

    @Test func `a segment of another log among its own`() throws {
        let segment = shell.segments(of: "events/log")[1]
        try shell.edit(segment) { bytes in
            bytes[17] ^= 0xFF
            bytes.replaceSubrange(96..<100, with: crc32c(bytes[..<96]))
        }
        try expectDamage("\(segment), byte 16", "the segment belongs to another log")
    }

    @Test func `a segment of a newer format is not damage`() throws {
        let segment = shell.segments(of: "events/log")[0]
        try shell.edit(segment) { bytes in
            bytes[8] = 9
            bytes.replaceSubrange(96..<100, with: crc32c(bytes[..<96]))
        }
        let complaint =
            "\(segment) was written by a newer Belfry (log format 9); this one reads up to 2. Use the newer version"
        for command in ["verify", "log", "append"] {
            #expect(shell.belfry(command) == .failed(5, complaint))
        }
    }

    @Test func `an index snapshot that is nonsense costs time and nothing else`() throws {
        try shell.write([UInt8](repeating: 7, count: 5000), to: "events/log/index.snapshot")
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("log", "--user", "u1").lines.count == 20)
        #expect(shell.belfry("append", input: fact(user: "u1", id: "e1")) == .done("1 duplicate"))
    }
}

/// CRC-32C as the log's files carry it, low byte first; bit by bit, so that it shares nothing with the program's.
func crc32c(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var value = UInt32.max
    for byte in bytes {
        value ^= UInt32(byte)
        for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    value = ~value
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}
