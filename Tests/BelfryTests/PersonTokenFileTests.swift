@testable import belfry
import CivilTime
@testable import Console
import Simulation
import Testing

/// What is written down of persons' tokens that are revoked, on a disk that loses its power.
@Suite("The file of revoked tokens")
struct PersonTokenFileTests {
    private static let path = "/log/person-tokens.revoked"
    private static let people = (0..<8).map { "p\($0)" }

    private func desk(on disk: SimulatedDisk) throws -> PersonTokenDesk {
        PersonTokenDesk(
            PersonTokens(secrets: [Array("a secret of the worker's own, of more than 32 letters".utf8)], log: (1, 2)),
            revoked: try disk.contents(Self.path).map { try RevokedTokens($0) } ?? RevokedTokens(),
            number: { PersonNumber(log: 0, number: UInt32($0.dropFirst()) ?? 0) }, clock: { .exampleStart },
            later: { $0() },
            write: { what in
                do { return try PersonTokenFile.write(what, Self.path, disk) } catch { return "\(error)" }
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
}
