import CivilTime
import Foundation
import Testing

@Suite("T1, the tz database of the machine")
struct ZoneDatabaseTests {
    @Test func `a zone is read once and shared`() throws {
        let database = try ZoneDatabase(directory: database.directory)
        #expect(try database.zone(named: "Europe/Paris") === (try database.zone(named: "Europe/Paris")))
        let alias = try database.zone(named: "Asia/Calcutta")
        #expect(alias.name == "Asia/Calcutta")
        #expect(alias == (try zone("Asia/Calcutta")))
        #expect(alias != (try zone("Asia/Kolkata")))
    }

    @Test func `many threads get the same one`() async throws {
        let database = try ZoneDatabase(directory: database.directory)
        let zones = try await withThrowingTaskGroup(of: ZoneRules.self) { group in
            for _ in 0..<64 { group.addTask { try database.zone(named: "America/New_York") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(zones.allSatisfy { $0 === zones[0] })
    }

    @Test func `every name listed can be read, sorted, none twice`() throws {
        let names = database.names
        #expect(names == Set(names).sorted())
        #expect(names.contains("Europe/Paris") && names.contains("America/Argentina/Buenos_Aires"))
        #expect(!names.contains { $0.hasPrefix("right/") || $0.hasPrefix("posix/") || $0.contains(".") })
        #expect(!names.contains("localtime") && !names.contains("Factory") && !names.contains("posixrules"))
        for name in names {
            #expect(throws: Never.self) { try zone(name) }
        }
    }

    @Test(arguments: [
        "", "../../etc/passwd", "/etc/localtime", "Europe/../Europe/Paris", "Europe//Paris", "Europe/", "/", ".",
        "Europe/Paris\0", "Europe/Paris ", "zone.tab", "tzdata.zi", "localtime", "posixrules", "posix/Europe/Paris",
        "right/Europe/Paris", "right", "Factory", "leapseconds", "Europe/Pärïs", "Europe\\Paris",
        String(repeating: "A", count: 65),
    ])
    func `names that are none are refused before anything is opened`(name: String) throws {
        let error = #expect(throws: ZoneError.self) { try zone(name) }
        guard case .badName(let bad, _) = error else {
            Issue.record("\(name) got as far as \(String(describing: error))")
            return
        }
        #expect(bad == name)
    }

    @Test(arguments: [
        ("Europe/Pariss", "Europe/Paris"), ("europe/paris", "Europe/Paris"), ("Paris", "Europe/Paris"),
        ("America/New_Yrok", "America/New_York"), ("Kolkatta", "Asia/Kolkata"),
        ("Amerika/Los_Angeles", "America/Los_Angeles"),
        ("Europe/Kyiw", "Europe/Kyiv"),
    ])
    func `a slip of the pen gets the name that was meant`(slip: String, meant: String) {
        let error = ZoneError.unknown(slip, version: database.version, nearest: meant)
        #expect(throws: error) { try zone(slip) }
        #expect(
            error.description
                == "\"\(slip)\" is not a time zone of this machine's tz database \(database.version); did you mean \(meant)?"
        )
    }

    @Test func `what resembles nothing gets an example`() {
        #expect(throws: ZoneError.unknown("Mars/Olympus_Mons", version: database.version, nearest: nil)) {
            try zone("Mars/Olympus_Mons")
        }
        #expect(throws: ZoneError.unknown("Europe", version: database.version, nearest: nil)) { try zone("Europe") }
        #expect(throws: ZoneError.badName("New York", nearest: "America/New_York")) { try zone("New York") }
    }

    @Test func `without a database it says what to install`() throws {
        let error = ZoneError.noDatabase(searched: ["/nowhere", "/dev"])
        #expect(throws: error) { try ZoneDatabase(searching: ["/nowhere", "/dev"]) }
        #expect(error.description == "no tz database at /nowhere, /dev: install the tzdata package.")
        #expect(try ZoneDatabase(searching: ["/nowhere", database.directory]).directory == database.directory)
    }

    @Test func `its release is read from where it is written, or told from its content`() throws {
        try withDirectory { directory in
            let paris = try Data(contentsOf: URL(fileURLWithPath: "\(database.directory)/Europe/Paris"))
            try paris.write(to: directory.appendingPathComponent("UTC"))
            let unnamed = try ZoneDatabase(directory: directory.path).version
            #expect(unnamed.hasPrefix("content-"))
            try paris.write(to: directory.appendingPathComponent("Paris"))
            #expect(try ZoneDatabase(directory: directory.path).version != unnamed)
            try Data("# version 2031c\n# more".utf8).write(to: directory.appendingPathComponent("tzdata.zi"))
            #expect(try ZoneDatabase(directory: directory.path).version == "2031c")
            try Data("2031d\n".utf8).write(to: directory.appendingPathComponent("+VERSION"))
            #expect(try ZoneDatabase(directory: directory.path).version == "2031d")
        }
    }

    @Test func `a damaged file is told from an unknown zone`() throws {
        try withDirectory { directory in
            let file = TZifWriter(transitions: [(0, 7)]).bytes
            try Data(TZifWriter().bytes).write(to: directory.appendingPathComponent("UTC"))
            try Data(file).write(to: directory.appendingPathComponent("Broken"))
            try Data("no zone".utf8).write(to: directory.appendingPathComponent("NOTES"))
            let database = try ZoneDatabase(directory: directory.path)
            let damage = TZifError.unknownLocalTimeType(transition: 0, type: 7)
            #expect(throws: ZoneError.damaged("Broken", path: "\(directory.path)/Broken", damage)) {
                try database.zone(named: "Broken")
            }
            #expect(throws: ZoneError.unknown("NOTES", version: database.version, nearest: nil)) {
                try database.zone(named: "NOTES")
            }
            #expect(database.names == ["Broken", "UTC"])
        }
    }

    private func withDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("zones-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }
}
