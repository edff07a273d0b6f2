import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Testing

/// The contract as others see it: `protoc` and a stock protobuf library, which share no code with Belfry.
@Suite("A stock protobuf library")
struct ProtobufTests {
    @Test func `decodes every golden file to what its JSON says, and writes the same bytes`() throws {
        let goldens = try CatalogFolder.goldens()
        let lines = try Oracle.run(commits: [])
        #expect(lines.count == goldens.count)
        for (golden, line) in zip(goldens, lines) {
            #expect(line["golden"] as? String == golden.name)
            let written = try #require(Oracle.bytes(line["bytes"]))
            #expect(written == golden.bytes, "\(golden.name)")
            #expect(try Payload.decode(golden.number, written) == golden.payload(), "\(golden.name)")
        }
    }

    @Test func `decodes whole commits as the journal writes them`() throws {
        let disk = SimulatedDisk()
        try disk.makeDirectory("/log")
        let journal = try Journal("/log", on: disk, holder: "test")
        // Whoever is erased is somebody else from then on.
        let everything = Payload.all.filter { !$0.isErasure }.map { payload in
            Entry(user: payload.type.isAboutPerson ? "anna" : nil, payload: payload.example(.allFields))
        }
        let few = [
            Entry(
                user: "bo", id: "key-1", occurredAt: Instant(milliseconds: -1),
                payload: .preferencesReset(PreferencesReset())),
            Entry(user: "anna", payload: .appOpened(AppOpened())),
            Entry(user: "anna", payload: .appClosed(AppClosed())),
        ]
        _ = try journal.append(everything, at: Instant(milliseconds: 1_772_460_000_000))
        let second = journal.head.position
        _ = try journal.append(few, at: Instant(milliseconds: 1_772_460_000_001))
        try journal.close()

        let reader = try LogReader("/log", on: disk)
        let bodies = try [0, second].map { position in
            try reader.withCommit(at: position) { frame in Array(frame.body) }
        }
        let lines = try Oracle.run(commits: bodies).suffix(2)

        let first = try #require(lines.first)
        #expect(first["new_person"] as? [String] == ["anna"])
        let events = try #require(first["event"] as? [[String: Any]])
        #expect(events.count == everything.count)
        for (event, entry) in zip(events, everything) {
            #expect(event["type"] as? String == entry.payload.type.text)
            #expect(event["person"] as? Int == (entry.user == nil ? nil : 0))
            #expect(event["back"] == nil)
            #expect(Oracle.bytes(event["payload"]) == entry.payload.bytes)
        }

        let last = try #require(lines.last)
        #expect(last["new_person"] as? [String] == ["bo"])
        let said = try #require(last["event"] as? [[String: Any]])
        #expect(said.map { $0["type"] as? String } == ["preferences_reset", "app_opened", "app_closed"])
        #expect(said.map { $0["person"] as? Int } == [1, 0, 0])
        #expect(said.map { $0["back"] as? Int } == [nil, Int(second / 8), nil])
        #expect(said.map { $0["id"] as? String } == ["key-1", nil, nil])
        #expect(said.map { $0["occurred_at"] as? Int } == [-1, nil, nil])
    }
}

/// Runs `protoc` and then `protobuf_oracle.py` on the catalog.
private enum Oracle {
    static let advice = "run ops/bootstrap --test, which installs protoc, python3 and its protobuf library"

    /// What it printed: first a line for every golden file, then one for every commit.
    static func run(commits: [[UInt8]]) throws -> [[String: Any]] {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let bodies = try commits.enumerated().map { index, body in
            let file = scratch.appending(path: "commit-\(index)")
            try Data(body).write(to: file)
            return file.path
        }
        _ = try run(
            ["protoc"], ["--proto_path=\(CatalogFolder.url.path)", "--python_out=\(scratch.path)", "belfry.proto"])
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "protobuf_oracle.py")
        // The distribution's own interpreter has the distribution's library, whichever comes first on the path.
        let output = try run(
            ["/usr/bin/python3", "python3"], ["-B", script.path, scratch.path, CatalogFolder.url.path] + bodies)
        return try output.split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }

    /// Runs the first of some programs that is there and gives what it printed.
    private static func run(_ programs: [String], _ arguments: [String]) throws -> String {
        guard let program = programs.lazy.compactMap(find).first else {
            throw Missing(description: "\(programs.last ?? "") is not on the path: \(advice)")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let hint = complaint.contains("No module named 'google") ? "\n\(advice)" : ""
            throw Missing(description: "\(program.path) ended with \(process.terminationStatus): \(complaint)\(hint)")
        }
        return text
    }

    private static func find(_ program: String) -> URL? {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let places = program.hasPrefix("/") ? [program] : directories.map { "\($0)/\(program)" }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }.map { URL(filePath: $0) }
    }

    static func bytes(_ hex: Any?) -> [UInt8]? {
        guard let hex = hex as? String, hex.utf8.count % 2 == 0 else { return nil }
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}

private struct Missing: Error, CustomStringConvertible {
    let description: String
}
