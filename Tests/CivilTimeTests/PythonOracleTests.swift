import CivilTime
import Foundation
import Testing

/// T1 against a second opinion: Python's zoneinfo reading the very same files.
@Suite("T1, every zone as Python reads it", .enabled(if: Python.path != nil, "python3 is not installed"))
struct PythonOracleTests {
    static let processes = 2

    @Test(arguments: 0..<processes)
    func `offsets and transitions are those of Python's zoneinfo`(part: Int) throws {
        let names = database.names.enumerated().filter { $0.offset % Self.processes == part }.map(\.element)
        try compare(names, in: database, samples: 10_000)
    }

    @Test func `so are those of files made by hand`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("zones-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var files = ["UTC": TZifWriter(), "Old": TZifWriter(version: nil, transitions: Self.table, types: Self.types)]
        for (index, footer) in Self.footers.enumerated() {
            files["Alone-\(index)"] = TZifWriter(version: "3", footer: footer)
            files["After-\(index)"] = TZifWriter(
                version: "3", transitions: Self.table, types: Self.types, footer: footer)
        }
        files["Daylight"] = TZifWriter(transitions: [(0, 1)], types: [(3600, true), (7200, true)])
        files["Untouched"] = TZifWriter(types: [(3600, true), (7200, true), (1800, false)])
        for (name, file) in files {
            try Data(file.bytes).write(to: directory.appendingPathComponent(name))
        }
        let database = try ZoneDatabase(directory: directory.path)
        #expect(database.names.count == files.count)
        try compare(database.names, in: database, samples: 2000)
    }

    private static let table: [(Int64, UInt8)] = [
        (-1_000_000_000, 1), (0, 2), (100_000_000, 1), (500_000_000, 0), (1_700_000_003, 3),
    ]
    private static let types: [(Int32, Bool)] = [(561, false), (3600, false), (7200, true), (-50_000, false)]
    /// Without what Python reads otherwise than POSIX says: hours of three digits, days counted from zero.
    private static let footers = [
        "CET-1CEST,M3.5.0,M10.5.0/3", "NZST-12NZDT,M9.5.0,M4.1.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1",
        "EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
        "AAA0BBB,J60,J300", "AAA0BBB,J90/3,J300/99:59:59", "AAA3BBB1:30:15,M2.1.1/-72,J200/96", "<+0330>-3:30", "UTC0",
        "AAA-14BBB-13,M6.5.6/-30,M11.2.3/30", "AAA12BBB,J100/24,J250/24",
    ]

    private func compare(_ names: [String], in database: ZoneDatabase, samples: Int) throws {
        let answers = try Python.answers(for: names, in: database.directory, seed: 20_260_302, samples: samples)
        var reader = AnswerReader(answers)
        for name in names {
            let zone = try database.zone(named: name)
            let theirs = reader.transitions()
            let ours = zone.transitions(in: "1800-01-01T00:00:00Z"..<"2500-01-01T00:00:00Z").map {
                Change(second: $0.instant.milliseconds / 1000, before: $0.offsetBefore, after: $0.offsetAfter)
            }
            #expect(ours.count == theirs.count, "transitions of \(name)")
            let difference = zip(ours, theirs).first { $0 != $1 }
            #expect(difference == nil, "transitions of \(name)")
            let wrongAtChange = theirs.first {
                zone.offsetSeconds(at: Instant(seconds: $0.second)) != $0.after
                    || zone.offsetSeconds(at: Instant(milliseconds: $0.second * 1000 - 1)) != $0.before
                    || zone.offsetSeconds(at: Instant(milliseconds: ($0.second - 1) * 1000)) != $0.before
                    || zone.offsetSeconds(at: Instant(milliseconds: $0.second * 1000 + 1)) != $0.after
            }
            #expect(wrongAtChange == nil, "around the transitions of \(name)")
            let wrong = reader.firstDisagreement { zone.offsetSeconds(at: Instant(seconds: $0)) }
            #expect(wrong == nil, "\(name)")
        }
        #expect(reader.isAtEnd)
    }
}

private struct Change: Equatable {
    var second: Int64
    var before: Int32
    var after: Int32
}

/// Runs the script that lies beside this file.
private enum Python {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map { "\($0)/python3" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static func answers(for names: [String], in directory: String, seed: Int, samples: Int) throws -> Data {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("zoneinfo_oracle.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = [script.path, directory, "\(seed)", "\(samples)"]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(names.joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let answers = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "the oracle failed")
        return answers
    }
}

/// Reads the answers in the layout the script documents.
private struct AnswerReader {
    private let data: Data
    private var position = 0

    init(_ data: Data) {
        self.data = data
    }

    var isAtEnd: Bool { position == data.count }

    mutating func transitions() -> [Change] {
        (0..<read(UInt32.self)).map { _ in
            Change(second: read(Int64.self), before: read(Int32.self), after: read(Int32.self))
        }
    }

    /// The first sampled second at which `offset` says something else.
    mutating func firstDisagreement(_ offset: (Int64) -> Int32) -> Int64? {
        let count = Int(read(UInt32.self))
        let start = position
        position += count * 12
        return data.withUnsafeBytes { bytes in
            for index in 0..<count {
                let second = bytes.loadUnaligned(fromByteOffset: start + index * 8, as: Int64.self)
                let theirs = bytes.loadUnaligned(fromByteOffset: start + count * 8 + index * 4, as: Int32.self)
                if offset(Int64(littleEndian: second)) != Int32(littleEndian: theirs) { return second }
            }
            return nil
        }
    }

    private mutating func read<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        defer { position += MemoryLayout<Number>.size }
        return data.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: type)) }
    }
}
