import Foundation
import Hashing
import Journal
import Simulation
import Testing

@testable import Sealing

@Suite("E2, master keys")
struct MasterKeyTests {
    private let disk = Sample.disk()
    private let weak = String(repeating: "0123456789abcdef", count: 8)

    @Test func `what is no master key is refused with its line, never with the key`() {
        let (good, half) = (Sample.master, String(Sample.master.prefix(64)))
        for (text, problem) in [
            ("", MasterKeyError.none(source: "/m")), ("\n\n", .none(source: "/m")),
            (half, .wrongLength(source: "/m", line: 1, digits: 64)),
            ("\(good)\n\(good)00", .wrongLength(source: "/m", line: 2, digits: 130)),
            (good.uppercased(), .notHexadecimal(source: "/m", line: 1)),
            (" \(good)", .notHexadecimal(source: "/m", line: 1)),
            ("key: \(good)", .notHexadecimal(source: "/m", line: 1)),
            (weak, .weak(source: "/m", line: 1)),
            (String(repeating: "\(good)\n", count: 17), .tooMany(source: "/m")),
        ] {
            let refusal = #expect(throws: problem) { try MasterKeys(Array(text.utf8), from: "/m") }
            let said = refusal.map { "\($0)" } ?? ""
            #expect(!said.isEmpty && ![half, half.uppercased(), weak].contains { said.contains($0) }, "\(said)")
        }
        for text in [good, "\(good)\n", "\r\n\(good)\r\n\n", "\(Sample.newMaster)\n\(good)\n"] {
            #expect(throws: Never.self) { try MasterKeys(Array(text.utf8), from: "/m") }
        }
    }

    @Test func `a command gives the master key`() throws {
        let ring = try Sample.begin(on: disk, .command("echo \(Sample.master)"))
        try ring.makeKeys(below: 1)
        let value = try ring.values(of: 0..<1)
        let again = try Sample.open(on: disk, Sample.given())
        #expect(try again.says(value[0], of: 0) == .opened(Sample.text(of: 0)))
    }

    @Test func `a command that gives none is told, with why`() {
        for (line, problem) in [
            ("exit 3", "it ended with exit code 3"), ("kill -9 $$", "it was ended by signal 9"),
            ("head -c 5000 /dev/zero", "it printed more than 4096 bytes"),
            ("/no/such/program", "it ended with exit code 127"),
        ] {
            #expect(
                throws: KeyRingError.master(.unreadable(source: "the command `\(line)`", problem: problem)),
                performing: { try Sample.begin(on: disk, .command(line)) })
        }
        #expect(throws: KeyRingError.master(.none(source: "the command `true`"))) {
            try Sample.begin(on: disk, .command("true"))
        }
    }

    /// It waits for what will never be written, and its child would wait on.
    @Test func `a command that does not end is ended`() {
        let line = "sleep 1000 & cat /dev/zero | tail -c 1; wait"
        let problem = "it did not end within 0 s"
        #expect(throws: KeyRingError.master(.unreadable(source: "the command `\(line)`", problem: problem))) {
            try Sample.begin(on: disk, .command(line, patienceMs: 1))
        }
    }

    @Test func `a file that cannot be read is told, with why`() {
        struct Gone: Error, CustomStringConvertible { var description: String { "cannot open it" } }
        #expect(throws: KeyRingError.master(.unreadable(source: "/m", problem: "cannot open it"))) {
            try Sample.begin(on: disk, .file("/m") { throw Gone() })
        }
    }

    @Test func `the newest master key is taken into use while the keys are in use`() throws {
        let text = Changing(Sample.master)
        let source = MasterKeySource.file("/m") { Array(text.value.utf8) }
        let ring = try Sample.begin(on: disk, source)
        try ring.makeKeys(below: 6)
        let values = try ring.values(of: 0..<6)
        let sealer = Sealer(ring)
        let table = disk.contents(Sample.path(KeyFile.table))
        #expect(try !ring.rotateMaster(), "there is no newer one")
        #expect(disk.contents(Sample.path(KeyFile.table)) == table)
        text.value = "\(Sample.newMaster)\n\(Sample.master)\n"
        #expect(try ring.rotateMaster())
        #expect(disk.contents(Sample.path(KeyFile.table)) != table)
        #expect(try sealer.seal(Sample.text(of: 2), of: 2, at: Sample.place) == values[2])
        text.value = Sample.newMaster
        for ring in [ring, try Sample.open(on: disk.restarted(), source)] {
            try ring.makeKeys(below: 10)
            #expect(try ring.says(values[5], of: 5) == .opened(Sample.text(of: 5)))
        }
        #expect(throws: KeyRingError.wrongMaster(file: "/log/keys.table", master: "/run/master")) {
            try Sample.open(on: disk.restarted())
        }
    }

    @Test func `what was written under the one before is opened, and written under the newest when it is written`()
        throws
    {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 6)
        let values = try ring.values(of: 0..<6)
        let both = Sample.given("\(Sample.newMaster)\n\(Sample.master)")
        let again = try Sample.open(on: disk, both)
        #expect(try again.says(values[5], of: 5) == .opened(Sample.text(of: 5)))
        try again.destroy([1])
        #expect(throws: KeyRingError.self) { try Sample.open(on: disk) }
        #expect(throws: Never.self) { try Sample.open(on: disk, Sample.given(Sample.newMaster)) }
    }

    @Test func `the program's own master key goes with every erasure`() throws {
        let ring = try Sample.begin(on: disk, .own)
        try ring.makeKeys(below: 6)
        let first = disk.contents(Sample.path(KeyFile.master)) ?? []
        try ring.makeKeys(below: 12)
        #expect(disk.contents(Sample.path(KeyFile.master)) == first)
        try ring.destroy([1])
        let second = disk.contents(Sample.path(KeyFile.master)) ?? []
        #expect(second.count == 129 && second != first)
        try ring.rotateMaster()
        let third = disk.contents(Sample.path(KeyFile.master)) ?? []
        #expect(third.count == 129 && third != second)
        #expect(throws: Never.self) { try Sample.open(on: disk.restarted(), .own) }
    }

    @Test func `a master key that is given is never written`() throws {
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 6)
        try ring.destroy([1])
        try ring.rotateMaster()
        #expect(try disk.list(Sample.directory) == ["durable", KeyFile.keys, KeyFile.table])
    }
}

/// A text that changes while it is read again and again.
private final class Changing: @unchecked Sendable {
    // Sendable: written and read by one test alone, one after the other.
    var value: String

    init(_ value: String) { self.value = value }
}
