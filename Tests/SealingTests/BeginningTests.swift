import CivilTime
import Journal
import Notices
import Sealing
import Simulation
import Testing

/// A log's keys are made before its first segment, so that nothing is ever written that they could not seal.
@Suite("The first start of a log with seals")
struct BeginningTests {
    private static let now = Instant(milliseconds: 1_772_000_000_000)

    private func disk() -> SimulatedDisk { SimulatedDisk(keeper: { LogKeys(.own) }) }

    private func live(_ disk: SimulatedDisk, _ id: String) throws {
        let journal = try Journal("/log", on: disk, holder: "a test")
        var enrolled = UserEnrolled()
        enrolled.displayName = Text("Zweig")
        _ = try journal.append([Entry(user: "anna", id: id, payload: .userEnrolled(enrolled))], at: Self.now)
        try journal.close()
    }

    private func names(_ disk: SimulatedDisk) throws -> [String] {
        let reader = EventReader(try LogReader("/log", on: disk), checksHashes: true)
        var names: [String] = []
        while let commit = try reader.nextCommit() {
            for case .userEnrolled(let enrolled) in commit.map(\.payload) {
                names.append(enrolled.displayName?.text ?? "")
            }
        }
        return names
    }

    @Test(arguments: Fate.allCases)
    func `whenever it is cut off, the next start goes on`(fate: Fate) throws {
        let whole = disk()
        try live(whole, "first")
        for k in 0...whole.operations {
            for half in [false, true] {
                let cut = disk()
                cut.crash(after: k, half: half)
                do { try live(cut, "first") } catch  where !cut.isPowered {}
                // The process was killed, or the machine lost its power.
                for next in [cut.restarted(), cut.recovered(fate, seed: UInt64(k))] {
                    let place = "cut after operation \(k), half \(half)"
                    #expect(throws: Never.self, "\(place)") { try live(next, "second") }
                    #expect(try Set(names(next)) == ["Zweig"], "\(place)")
                }
            }
        }
    }

    @Test func `keys that are left of a log that erased somebody begin no other`() throws {
        let disk = disk()
        try live(disk, "first")
        let journal = try Journal("/log", on: disk, holder: "a test")
        _ = try journal.append([Entry(user: "anna", payload: .personErased(PersonErased()))], at: Self.now)
        try journal.close()
        for name in try disk.list("/log") where !name.hasPrefix("keys") && name != "master.key" {
            try disk.remove("/log/\(name)")
        }
        let error = #expect(throws: JournalError.self) { try live(disk, "second") }
        #expect(
            error?.description.contains("keys.table belongs to another log") == true, "\(String(describing: error))")
    }
}
