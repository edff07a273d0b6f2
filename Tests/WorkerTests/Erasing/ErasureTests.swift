import CivilTime
import Notices
import Sealing
import Simulation
import Testing
import Worker

@testable import Journal

@Suite("Somebody who is erased (E1-E4)")
struct ErasureTests {
    private func expectNothing(inFilesOf life: ErasedLife, _ comment: String = "") throws {
        let found = try life.found()
        #expect(found == [], "\(comment)")
    }

    private func expect(_ secrets: [String], from life: ErasedLife, _ comment: String = "") throws {
        let readable = try life.readable()
        #expect(readable == secrets, "\(comment)")
    }

    @Test func `nothing of anybody stands in the log in the clear`() throws {
        let life = ErasedLife()
        try life.live()
        try expectNothing(inFilesOf: life)
        #expect(try life.found(["bob", "Rain over Bob", "fact-of-bobs"]) == [])
        // With the keys all of it is there.
        try expect(ErasedLife.secrets, from: life)
        #expect(try life.replay().differing == 0)
    }

    @Test func `can be read nowhere, and others can`() throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        // A snapshot tells what it holds, until it is written anew.
        #expect(try !life.found(["anna"]).isEmpty)
        guard case .recorded(let seq, _) = try life.erase("anna") else { return #expect(Bool(false), "not erased") }
        try expect([], from: life)
        try life.takeSnapshot()
        try expectNothing(inFilesOf: life)
        let events = try life.machine.commits().joined()
        #expect(events.last { $0.user != "bob" && $0.user != nil }?.seq == seq)
        let types = events.filter { $0.user == "[erased 0]" }.map(\.payload.type.text)
        #expect(types.contains("device_registered") && types.contains("job_emitted") && types.last == "person_erased")
        #expect(events.contains { $0.user == "bob" && $0.id == "fact-of-bobs" })
    }

    @Test func `is left alone from then on, and after a start`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("anna")
        let before = life.machine.handedOver.count
        let seqs = try life.machine.commits().joined().filter { $0.user == "[erased 0]" }.map(\.seq)
        life.machine.crash(.kept, seed: 1)
        life.machine.start()
        life.machine.clock = life.machine.clock.advanced(byDays: 3)
        life.machine.settle()
        try life.tell("bob", ErasedLife.facts[10].1)
        #expect(life.machine.core?.person("anna") == nil)
        #expect(try life.machine.commits().joined().filter { $0.user == "[erased 0]" }.map(\.seq) == seqs)
        #expect(life.machine.handedOver.count > before, "Bob is told")
        #expect(try life.replay().differing == 0)
    }

    @Test func `what becomes of a job of theirs afterwards is nobody's`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("anna")
        var delivered = JobDelivered()
        delivered.job = NoticeName("anna/reminder/#13")
        delivered.channel = .push
        guard case .refused = try life.tell(Fact(user: "anna", payload: .jobDelivered(delivered)), isOwn: true) else {
            return #expect(Bool(false), "an outcome of somebody who was erased was recorded")
        }
        #expect(life.machine.core?.person("anna") == nil)
    }

    @Test func `may come again and is somebody new`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("anna")
        #expect(try life.tell("anna", ErasedLife.facts[0].1) != nil)
        let person = try #require(life.machine.core?.person("anna"))
        #expect(person.devices.isEmpty && person.details.goals.isEmpty)
        let events = try life.machine.commits().joined()
        #expect(
            events.last?.user == "anna" && events.last?.id == "fact-of-hers",
            "her id is not taken for one she used before")
        #expect(try life.replay().differing == 0)
        // And is erased again as well as anybody.
        try life.erase("anna")
        try life.takeSnapshot()
        try expectNothing(inFilesOf: life)
        try expect([], from: life)
    }

    @Test func `is not brought back by a backup of the keys`() throws {
        let life = ErasedLife()
        try life.live()
        let names = ["keys", "keys.table", "master.key"].map { "\(SimulatedMachine.directory)/\($0)" }
        let backup = names.map { life.machine.disk.contents($0) ?? [] }
        try life.erase("anna")
        try life.machine.stop()
        for (name, bytes) in zip(names, backup) { life.machine.disk.setContents(name, bytes) }
        life.machine.crash(.kept, seed: 2)
        // As a thief of the backup reads it.
        #expect(try !life.readable().isEmpty)
        life.machine.crash(.kept, seed: 2)
        life.machine.start()
        try expect([], from: life)
        life.machine.crash(.kept, seed: 3)
        try expect([], from: life)
    }

    @Test func `nobody unknown is erased, and nobody twice`() throws {
        let life = ErasedLife()
        try life.live()
        for user in ["nobody", "anna", "anna", "[erased 0]"] {
            let receipt = try life.erase(user)
            if case .recorded = receipt { #expect(user == "anna") }
        }
        let count = try life.machine.commits().joined().count { $0.payload.type == PersonErased.type }
        #expect(count == 1)
    }

    @Test(arguments: [Fate.kept, .lost, .torn])
    func `a power cut at any operation leaves either all of it or nothing`(_ fate: Fate) throws {
        let whole = ErasedLife()
        try whole.live()
        let before = whole.machine.disk.operations
        try whole.erase("anna")
        let after = whole.machine.disk.operations
        #expect(after > before + 5)
        for cut in before...after {
            let life = ErasedLife()
            try life.live()
            life.machine.disk.crash(after: cut)
            let receipt = try life.erase("anna")
            life.machine.crash(fate, seed: UInt64(cut))
            #expect(life.machine.start())
            let isErased = life.machine.core?.person("anna") == nil
            if case .recorded = receipt { #expect(isErased, "acknowledged before it was durable; cut \(cut)") }
            if isErased {
                try expect([], from: life, "cut \(cut)")
                try life.takeSnapshot()
                try expectNothing(inFilesOf: life, "cut \(cut)")
            } else {
                try expect(ErasedLife.secrets, from: life, "cut \(cut)")
                try life.erase("anna")
                try expect([], from: life, "cut \(cut)")
            }
            #expect(try life.replay().differing == 0, "cut \(cut)")
        }
    }

    @Test func `the same log is checked without any key`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("anna")
        try life.machine.stop()
        let blind = life.machine.disk.copy()
        for name in ["keys", "keys.table", "master.key"] { try blind.remove("\(SimulatedMachine.directory)/\(name)") }
        let report = try LogVerifier(LogReader(SimulatedMachine.directory, on: withoutKeys(blind))).run()
        #expect(report.people == 2 && report.tail == .whole)
        #expect(throws: JournalError.self) { try LogReader(SimulatedMachine.directory, on: blind) }
    }
}

/// A disk that nobody keeps keys for.
private func withoutKeys(_ disk: SimulatedDisk) -> SimulatedDisk {
    let plain = SimulatedDisk()
    for name in (try? disk.list(SimulatedMachine.directory)) ?? [] {
        let path = "\(SimulatedMachine.directory)/\(name)"
        plain.setContents(path, disk.contents(path) ?? [])
    }
    return plain
}
