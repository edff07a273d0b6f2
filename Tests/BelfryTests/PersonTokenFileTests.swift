@testable import belfry
import CivilTime
@testable import Console
import Foundation
import Journal
import Simulation
import Testing

/// What is written down of persons' tokens that are revoked, on a disk that loses its power.
@Suite("The file of revoked tokens")
struct PersonTokenFileTests {
    private static let path = "/log/person-tokens.revoked"
    private static let people = (0..<8).map { "p\($0)" }

    private func desk(
        on disk: any Disk, _ path: String = path, later: @escaping PersonTokenDesk.Later = { $0() }
    ) throws -> PersonTokenDesk {
        let bytes = try disk.status(of: path) == nil ? nil : try disk.contents(of: path, limit: 1 << 20)
        return PersonTokenDesk(
            PersonTokens(secrets: [Array("a secret of the worker's own, of more than 32 letters".utf8)], log: (1, 2)),
            revoked: try bytes.map { try RevokedTokens($0) } ?? RevokedTokens(),
            number: { PersonNumber(log: 0, number: UInt32($0.dropFirst()) ?? 0) }, clock: { .exampleStart },
            later: later,
            write: { what in
                do { return try PersonTokenFile.write(what, path, disk) } catch { return "\(error)" }
            })
    }

    /// Revokes tokens of people, every other time by name, and erases them, until the disk takes no more. Returns how many were.
    private func eraseAll(_ desk: PersonTokenDesk) -> Int {
        for (count, user) in Self.people.enumerated() {
            if count % 2 == 0, desk.revoke(nil, of: user) != nil { return count }
            if desk.beginErasing([user], in: 0) != nil { return count }
        }
        return Self.people.count
    }

    @Test(arguments: Fate.allCases) func `whoever was told that a token is revoked finds it so after a power cut`(
        fate: Fate
    ) throws {
        for cut in 0..<1000 {
            let disk = SimulatedDisk(seed: UInt64(cut))
            try disk.makeDirectory("/log")
            try disk.syncDirectory("/")
            disk.crash(after: disk.operations + cut, half: cut % 2 == 1)
            let erased = eraseAll(try desk(on: disk))
            let isOver = disk.isPowered
            let later = disk.recovered(fate, seed: UInt64(cut))
            let next = try desk(on: later)
            // One of which nobody was told may be there.
            #expect(next.missed(of: [0: erased]) == [:] && next.missed(of: [0: erased + 2]) != [:], "cut at \(cut)")
            #expect(next.beginErasing(["p100"], in: 0) == nil)
            #expect(try desk(on: later).missed(of: [0: erased + 1]) == [:], "cut at \(cut)")
            if isOver { return }
        }
        Issue.record("the power was always cut")
    }

    @Test func `a start removes a draft that was left, and writes the file anew without whom it need not hold`() throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = RealDisk()
        let path = "\(folder)/person-tokens.revoked"
        // Killed before the file was written anew.
        let before = try desk(on: disk, path, later: { _ in })
        #expect(before.revoke(nil, of: "p1") == nil && before.beginErasing(["p1"], in: 0) == nil)
        func text() throws -> String { String(decoding: try disk.contents(of: path, limit: 1 << 20), as: UTF8.self) }
        #expect(try text().contains("gone "))
        #expect(try PersonTokenFile.write(.draft(Array("a draft\n".utf8)), path, disk) == nil)
        let drafts = { try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".tmp") } }
        #expect(try drafts().count == 1)
        let world = World(disk: disk, output: Output(), clock: { .exampleStart }, zoneDirectories: [])
        func start(_ later: @escaping PersonTokenDesk.Later) throws {
            _ = try PersonTokenFile.desk(
                try DataDirectory(folder, on: disk), LogIdentity(words: (1, 2)), world, later: later)
        }
        try start { _ in }
        #expect(try drafts() == [] && text().contains("gone "))
        try start { $0() }
        #expect(try !text().contains("gone ") && !text().contains("all "))
    }
}
