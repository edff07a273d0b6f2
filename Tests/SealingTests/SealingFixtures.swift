import Foundation
import Hashing
import Journal
import Simulation
import Testing

@testable import Sealing

/// A log's keys, and what was sealed with them, on a simulated disk.
enum Sample {
    static let directory = "/log"
    static let identity = LogIdentity(words: (0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00))
    static let otherIdentity = LogIdentity(words: (0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF01))
    /// Few, so that there are many pages.
    static let peopleAPage = 4

    static let master = hexadecimal(seed: 1)
    static let newMaster = hexadecimal(seed: 2)

    static func hexadecimal(seed: UInt64) -> String {
        var random = SeededRandom(seed: seed)
        return Hexadecimal.text((0..<64).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    static func given(_ text: String = master) -> MasterKeySource {
        .file("/run/master") { Array("\(text)\n".utf8) }
    }

    /// A disk with the directory of a log.
    static func disk(seed: UInt64 = 0) -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        disk.setContents("\(directory)/durable", [])
        return disk
    }

    static func begin(on disk: any Disk, _ source: MasterKeySource = given()) throws -> KeyRing {
        try KeyRing.begin(
            directory, of: identity, on: disk, master: source, peopleAPage: peopleAPage, cacheCapacity: 8)
    }

    static func open(
        on disk: any Disk, _ source: MasterKeySource = given(), of identity: LogIdentity = identity,
        isWriter: Bool = true
    ) throws -> KeyRing {
        try KeyRing(directory, of: identity, on: disk, master: source, isWriter: isWriter, cacheCapacity: 8)
    }

    static func path(_ name: String) -> String { "\(directory)/\(name)" }

    static let place = FieldPlace(sequence: 7, field: 2)

    /// Keys of some people on a real disk, for as long as something is done with them.
    static func withFiles(people: Int, _ body: (KeyRing, _ folder: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ring = try KeyRing.begin(folder.path, of: identity, on: RealDisk(), master: given(), peopleAPage: 8)
        try ring.makeKeys(below: people)
        try body(ring, folder)
    }

    static func text(of person: UInt32) -> [UInt8] { Array("what person \(person) was told".utf8) }
}

extension KeyRing {
    /// A field for each of these people.
    func values(of people: Range<UInt32>) throws -> [UInt32: [UInt8]] {
        let sealer = Sealer(self)
        var values: [UInt32: [UInt8]] = [:]
        for person in people {
            values[person] = try sealer.seal(Sample.text(of: person), of: person, at: Sample.place)
        }
        return values
    }

    func says(_ value: [UInt8]?, of person: UInt32) throws -> Sealed {
        try Sealer(self).open(#require(value), of: person, at: Sample.place)
    }
}

/// What a test's check found broken, and under which circumstances.
struct Broken: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Says of an error under which circumstances it came.
func under<Result>(_ circumstances: @autoclosure () -> String, _ work: () throws -> Result) throws -> Result {
    do { return try work() } catch { throw Broken("\(circumstances()): \(error)") }
}

/// Somebody who has the disk as it is, and the master keys, and knows the format: the keys they can open, by person.
///
/// They try every slot, also one that no table refers to, and every file that may be a table.
enum Thief {
    static func keys(on disk: SimulatedDisk, masters: [String] = []) throws -> [UInt32: Set<[UInt8]>] {
        var found: [UInt32: Set<[UInt8]>] = [:]
        try forEachTable(on: disk, masters) { table, cipher, root in
            for page in table.pages.indices {
                cipher.use(root)
                guard let key = table.pages[page].key.unwrapped(table.binding(page), by: cipher) else { continue }
                cipher.use(key)
                let keys = disk.contents(Sample.path(KeyFile.keys)) ?? []
                take(table.people(of: page), from: keys, cipher, &found)
            }
        }
        return found
    }

    /// Whether any two keys open what a person was told in a week.
    static func opensText(
        _ value: [UInt8], of person: UInt32, on disk: SimulatedDisk, masters: [String]
    ) throws -> Bool {
        var weeks: [SecretBytes] = []
        try forEachTable(on: disk, masters) { table, cipher, root in
            cipher.use(root)
            weeks += table.weeks.compactMap { $0.key.unwrapped(table.binding(of: $0.week), by: cipher) }
        }
        let cipher = SIVCipher()
        for key in try keys(on: disk, masters: masters)[person] ?? [] {
            for week in weeks {
                key.withUnsafeBytes { TextSecret.use($0, week, in: cipher) }
                if opens(value, from: 3, cipher) { return true }
            }
        }
        return false
    }

    private static func forEachTable(
        on disk: SimulatedDisk, _ masters: [String], _ body: (KeyTable, SIVCipher, SecretBytes) -> Void
    ) throws {
        let names = try disk.list(Sample.directory).filter { $0 != "durable" }
        let files = names.filter { $0.hasPrefix(KeyFile.table) }.compactMap { disk.contents(Sample.path($0)) }
        let own = names.filter { $0.hasPrefix(KeyFile.master) }.flatMap { name in
            String(decoding: disk.contents(Sample.path(name)) ?? [], as: UTF8.self).split(separator: "\n").map(
                String.init)
        }
        let known = (masters + own).compactMap { try? MasterKeys(Array($0.utf8), from: "").newest }
        let cipher = SIVCipher()
        for table in files.compactMap({ try? KeyTable($0, of: Sample.identity, file: "") }) {
            for master in known {
                cipher.use(master.key)
                if let root = table.root?.unwrapped(table.rootBinding, by: cipher) { body(table, cipher, root) }
            }
        }
    }

    private static func take(
        _ people: ClosedRange<UInt32>, from bytes: [UInt8], _ cipher: SIVCipher, _ found: inout [UInt32: Set<[UInt8]>]
    ) {
        let starts = stride(from: KeyPages.headerSize, to: bytes.count, by: people.count * KeyPages.recordSize)
        for (start, place) in starts.flatMap({ start in (0..<people.count).map { (start, $0) } }) {
            let at = start + place * KeyPages.recordSize
            guard at + KeyPages.recordSize <= bytes.count else { continue }
            let person = people.lowerBound + UInt32(place)
            let record = bytes.withUnsafeBytes { WrappedKey($0, at: at) }
            if let key = record.unwrapped(Binding(Sample.identity, UInt64(person)), by: cipher) {
                found[person, default: []].insert(key.withBytes { Array($0) })
            }
        }
    }

    /// Whether any key opens a person's field.
    static func opens(_ value: [UInt8], _ keys: Set<[UInt8]>?) -> Bool {
        let cipher = SIVCipher()
        return (keys ?? []).contains { key in
            key.withUnsafeBytes { cipher.use($0) }
            return opens(value, from: 1, cipher)
        }
    }

    /// - Parameter start: where the code begins.
    private static func opens(_ value: [UInt8], from start: Int, _ cipher: SIVCipher) -> Bool {
        let place = Sample.place
        var plain = [UInt8](repeating: 0, count: value.count - start - SIVCipher.codeBytes)
        return plain.withUnsafeMutableBytes { plain in
            value.withUnsafeBytes {
                cipher.open(
                    $0.piece(start, value.count - start), Binding(Sample.identity, place.sequence, place.field),
                    into: plain)
            }
        }
    }
}

/// The Python packages that judge what is sealed; `ops/bootstrap --test` installs them.
enum SealingOracle {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let folder = here.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/oracles").path
    private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    static let isInstalled =
        python != nil && FileManager.default.fileExists(atPath: "\(folder)/.whole")
        && FileManager.default.fileExists(atPath: "\(folder)/cryptography")

    /// What it answers to questions, one each; `nil` where it says null.
    static func ask(_ questions: [[String: String]]) throws -> [String?] {
        let lines = try questions.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try run("sealing_oracle.py", input: lines.joined(separator: "\n")).map {
            try JSONDecoder().decode(String?.self, from: Data($0.utf8))
        }
    }

    /// What fields say whose keys lie in a folder.
    static func open(
        _ values: [(person: UInt32, value: [UInt8])], at place: FieldPlace, in folder: URL
    ) throws -> [String?] {
        try ask(
            values.map { person, value in
                [
                    "ask": "open", "keys": folder.appending(path: KeyFile.keys).path,
                    "table": folder.appending(path: KeyFile.table).path, "master": Sample.master, "person": "\(person)",
                    "sequence": "\(place.sequence)", "field": "\(place.field)", "item": "\(place.item)",
                    "value": Hexadecimal.text(value),
                ]
            })
    }

    /// The lines that a script prints.
    static func run(_ script: String, _ arguments: [String] = [], input: String = "") throws -> [Substring] {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (asked, answered) = (scratch.appending(path: "asked"), scratch.appending(path: "answered"))
        try Data(input.utf8).write(to: asked)
        try Data().write(to: answered)
        let process = Process()
        process.executableURL = URL(filePath: python ?? "")
        process.arguments = [here.appending(path: "Oracles/\(script)").path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: asked)
        process.standardOutput = try FileHandle(forWritingTo: answered)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "the script failed")
        return try String(decoding: Data(contentsOf: answered), as: UTF8.self).split(separator: "\n")
    }
}
