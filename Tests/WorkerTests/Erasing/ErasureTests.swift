import Audit
import CivilTime
import Notices
import Sealing
import Simulation
import Testing
import Worker

@testable import Journal

@Suite("Somebody who is erased (E1-E4, G9)")
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
        #expect(try life.found(["bobolink", "Rain over Bob", "fact-of-bobs"]) == [])
        // With the keys all of it is there.
        try expect(ErasedLife.secrets, from: life)
        #expect(try life.replay().differing == 0)
    }

    @Test func `can be read nowhere, and others can`() throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        // A snapshot tells what it holds, until it is written anew.
        #expect(try !life.found(["annalena"]).isEmpty)
        guard case .recorded(let seq, _) = try life.erase("annalena") else { return #expect(Bool(false), "not erased") }
        try expect([], from: life)
        try life.takeSnapshot()
        try expectNothing(inFilesOf: life)
        let events = try life.machine.commits().joined()
        #expect(events.last { $0.user != "bobolink" && $0.user != nil }?.seq == seq)
        let types = events.filter { $0.user == "[erased 0]" }.map(\.payload.type.text)
        #expect(types.contains("device_registered") && types.contains("job_emitted") && types.last == "person_erased")
        #expect(events.contains { $0.user == "bobolink" && $0.id == "fact-of-bobs" })
    }

    @Test func `is left alone from then on, and after a start`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("annalena")
        let before = life.machine.handedOver.count
        let seqs = try life.machine.commits().joined().filter { $0.user == "[erased 0]" }.map(\.seq)
        life.machine.crash(.kept, seed: 1)
        life.machine.start()
        life.machine.clock = life.machine.clock.advanced(byDays: 3)
        life.machine.settle()
        try life.tell("bobolink", ErasedLife.facts[10].1)
        #expect(life.machine.core?.person("annalena") == nil)
        #expect(try life.machine.commits().joined().filter { $0.user == "[erased 0]" }.map(\.seq) == seqs)
        #expect(life.machine.handedOver.count > before, "Bob is told")
        #expect(try life.replay().differing == 0)
    }

    @Test func `what becomes of a job of theirs afterwards is nobody's`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("annalena")
        var delivered = JobDelivered()
        delivered.job = NoticeName("annalena/reminder/#13")
        delivered.channel = .push
        // Under her own name where it was read before, and else as what is read now.
        for user in ["annalena", "[erased 0]"] {
            let receipt = try life.tell(Fact(user: user, payload: .jobDelivered(delivered)), isOwn: true)
            guard case .refused = receipt else {
                Issue.record("an outcome of somebody who was erased was recorded: \(String(describing: receipt))")
                continue
            }
        }
        #expect(life.machine.core?.failure == nil)
        #expect(try life.tell("bobolink", ErasedLife.facts[10].1) != nil, "others go on")
        #expect(life.machine.core?.person("annalena") == nil)
    }

    @Test func `may come again and is somebody new`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("annalena")
        #expect(try life.tell("annalena", ErasedLife.facts[0].1) != nil)
        let person = try #require(life.machine.core?.person("annalena"))
        #expect(person.devices.isEmpty && person.details.goals.isEmpty)
        let events = try life.machine.commits().joined()
        #expect(
            events.last?.user == "annalena" && events.last?.id == "fact-of-hers",
            "her id is not taken for one she used before")
        #expect(try life.replay().differing == 0)
        // And is erased again as well as anybody.
        try life.erase("annalena")
        try life.takeSnapshot()
        try expectNothing(inFilesOf: life)
        try expect([], from: life)
    }

    @Test func `is not brought back by a backup of the keys`() throws {
        let life = ErasedLife()
        try life.live()
        let names = ["keys", "keys.table", "master.key"].map { "\(SimulatedMachine.directory)/\($0)" }
        let backup = names.map { life.machine.disk.contents($0) ?? [] }
        try life.erase("annalena")
        try life.machine.stop()
        for (name, bytes) in zip(names, backup) { life.machine.disk.setContents(name, bytes) }
        life.machine.crash(.kept, seed: 2)
        // Whoever only reads cannot destroy keys, and sees that the log erased her.
        try expect([], from: life)
        life.machine.crash(.kept, seed: 2)
        life.machine.start()
        try expect([], from: life)
        life.machine.crash(.kept, seed: 3)
        try expect([], from: life)
    }

    @Test func `nobody unknown is erased, and nobody twice`() throws {
        let life = ErasedLife()
        try life.live()
        for user in ["nobody", "annalena", "annalena", "[erased 0]"] {
            let receipt = try life.erase(user)
            if case .recorded = receipt { #expect(user == "annalena") }
        }
        let count = try life.machine.commits().joined().count { $0.payload.type == PersonErased.type }
        #expect(count == 1)
    }

    @Test(arguments: [Fate.kept, .lost, .torn])
    func `a power cut at any operation leaves either all of it or nothing`(_ fate: Fate) throws {
        let whole = ErasedLife()
        try whole.live()
        let before = whole.machine.disk.operations
        try whole.erase("annalena")
        let after = whole.machine.disk.operations
        #expect(after > before + 5)
        for cut in before...after {
            let life = ErasedLife()
            try life.live()
            life.machine.disk.crash(after: cut)
            let receipt = try life.erase("annalena")
            life.machine.crash(fate, seed: UInt64(cut))
            #expect(life.machine.start())
            let isErased = life.machine.core?.person("annalena") == nil
            if case .recorded = receipt { #expect(isErased, "acknowledged before it was durable; cut \(cut)") }
            if isErased {
                try expect([], from: life, "cut \(cut)")
                try life.takeSnapshot()
                try expectNothing(inFilesOf: life, "cut \(cut)")
            } else {
                try expect(ErasedLife.secrets, from: life, "cut \(cut)")
                try life.erase("annalena")
                try expect([], from: life, "cut \(cut)")
            }
            #expect(try life.replay().differing == 0, "cut \(cut)")
        }
    }

    /// Which number it was decides: one that was never verified is not sent to.
    @Test func `two numbers of theirs are two in a replay as well`() throws {
        let life = ErasedLife()
        life.machine.start()
        let facts = [
            #""type":"user_enrolled","data":{"timezone":"Europe/Paris","phone":"+33612345678"}"#,
            #""type":"contact_changed","data":{"phone_verified":true}"#,
            #""type":"preferences_changed","data":{"patch":{"channels":{"sms":true},"kinds":{"urgent":{"channels":["push","sms"]}}}}"#,
            #""type":"notice_requested","data":{"kind":"urgent","title":"To one"}"#,
            #""type":"contact_changed","data":{"phone":"+33687654321"}"#,
            #""type":"notice_requested","data":{"kind":"urgent","title":"To the other"}"#,
        ]
        for fact in facts { try life.tell("annalena", fact) }
        var channels: [[Channel]] = []
        for event in try life.machine.commits().joined() {
            if case .jobEmitted(let job) = event.payload { channels.append(job.channels) }
        }
        #expect(channels == [[.push, .sms], [.push]])
        try life.erase("annalena")
        #expect(try life.replay().differing == 0)
    }

    @Test(arguments: ["standard", "messageai", "screentime", "microcommit"])
    func `what waited for them is missed by nobody`(policy: String) throws {
        let life = ErasedLife(policy: policy)
        life.machine.clock = instant("2026-03-02T23:00:00Z")
        try life.live()
        for user in ["annalena", "bobolink"] {
            for kind in life.kindsOnRequest {
                try life.tell(user, #""type":"notice_requested","data":{"kind":"\#(kind)","title":"At night"}"#)
            }
        }
        try life.erase("annalena")
        life.machine.clock = life.machine.clock.advanced(byDays: 2)
        life.machine.settle()
        let report = try life.audit()
        #expect(report.violations.map { "\($0.sentence)" } == [])
        #expect(try life.replay().differing == 0)
    }

    // MARK: What hangs on what is sealed

    /// What is decided by more than that a field is there: a phone that is given again, and one that is verified meanwhile; the
    /// part of a kind that is switched off.
    @Test func `what was decided about them is decided again without their key`() throws {
        let life = ErasedLife(policy: "microcommit")
        life.machine.start()
        for fact in [
            #""type":"user_enrolled","data":{"timezone":"Europe/Paris","phone":"+33611111111","email":"a@b.c"}"#,
            #""type":"contact_changed","data":{"phone":"+33611111111","phone_verified":true}"#,
            #""type":"contact_changed","data":{"phone":"+33611111111"}"#,
            #""type":"phone_verification_requested","data":{"phone":"+33622222222"}"#,
            #""type":"contact_changed","data":{"phone":"+33622222222"}"#,
            #""type":"phone_code_entered","data":{"code":"222222"}"#,
            #""type":"contact_changed","data":{"phone":"+33633333333"}"#,
            #""type":"contact_changed","data":{"phone":null}"#,
            #""type":"goal_started","data":{"goal":"run","title":"Run","deadline":"2026-03-06T18:00:00Z"}"#,
            #""type":"preferences_changed","data":{"patch":{"kinds":{"referee":{"subtypes":{"comment":false}}}}}"#,
            #""type":"notice_requested","data":{"kind":"referee","data":{"subtype":"comment"}}"#,
            #""type":"notice_requested","data":{"kind":"referee","data":{"subtype":"evidence_rejected"}}"#,
            #""type":"notice_requested","data":{"kind":"referee","title":"To see","data":{"subtype":"comment"}}"#,
        ] { try life.tell("annalena", fact) }
        life.machine.clock = life.machine.clock.advanced(byDays: 5)
        life.machine.settle()
        let before = try life.replay()
        #expect(before.differing == 0 && before.fieldsErased == 0)
        try life.erase("annalena")
        let after = try life.replay()
        #expect(after.differing == 0, "\(String(describing: after.first))")
        #expect(after.decisions == before.decisions && after.fieldsErased > 0)
    }

    /// What the judge asks about a part of a kind: a part that nobody told of, and one that is not locked with its kind.
    @Test func `what the judge finds about them he finds without their key`() throws {
        let life = ErasedLife(policy: "microcommit")
        life.machine.start()
        for fact in [
            #""type":"user_enrolled","data":{"timezone":"Europe/Paris","email":"a@b.c"}"#,
            #""type":"goal_started","data":{"goal":"run","title":"Run"}"#,
            #""type":"notice_requested","data":{"kind":"goal_lifecycle","subject":"goal:run","data":{"subtype":"approaching_end"}}"#,
            #""type":"preferences_changed","data":{"patch":{"kinds":{"payment":{"subtypes":{"payment_reminder":true},"channels":["push"]}}}}"#,
            #""type":"notice_requested","data":{"kind":"payment","data":{"subtype":"payment_reminder"}}"#,
        ] { try life.tell("annalena", fact) }
        #expect(try life.audit().violations.map(\.sentence) == [])
        try life.erase("annalena")
        #expect(try life.audit().violations.map(\.sentence) == [])
    }

    @Test func `equal texts look different wherever they stand`() throws {
        let life = ErasedLife()
        life.machine.start()
        for _ in 0..<3 {
            try life.tell("annalena", #""type":"subject_named","data":{"subject":"s","title":"The same"}"#)
        }
        let log = try LogReader(SimulatedMachine.directory, on: life.machine.disk)
        let scanner = log.scanner(checksHashes: false)
        var sealed: Set<[UInt8]> = []
        while let frame = try scanner.next() {
            var body = CommitBody(frame)
            var events = 0
            while let item = try body.next() {
                guard case .event(let raw) = item else { continue }
                events += 1
                if raw.person != nil { sealed.insert(Array(raw.payload)) }
            }
            try scanner.took(events: events)
        }
        #expect(sealed.count == 3)
    }

    @Test(arguments: [false, true]) func `whether a guessed fact was theirs cannot be tried`(restarts: Bool) throws {
        let life = ErasedLife()
        try life.live()
        try life.takeSnapshot()
        try life.erase("annalena")
        // A writer that begins behind the erasure, and one that closes, leave the index as the snapshot had it.
        if restarts {
            try life.machine.stop()
            for _ in 0..<2 {
                let journal = try Journal(
                    SimulatedMachine.directory, on: life.machine.disk, holder: "a test",
                    options: JournalOptions(snapshotEveryBytes: 1))
                try journal.close()
            }
            life.machine.start()
        }
        try life.takeSnapshot()
        let log = try LogDirectory(SimulatedMachine.directory, on: life.machine.disk)
        let index = try IndexLoader(disk: life.machine.disk, directory: SimulatedMachine.directory)
            .load(
                log, #require(log.identity), Witness.read(life.machine.disk, SimulatedMachine.directory).witness,
                keepsFactIDs: true)
        func isKnown(_ id: String) -> Bool {
            var id = id
            return id.withUTF8 { !index.factIDs.candidates(UnsafeRawBufferPointer($0)).isEmpty }
        }
        #expect(!isKnown("fact-of-hers") && isKnown("fact-of-bobs"))
    }

    @Test func `who is erased is told so only when their key is gone`() throws {
        let life = ErasedLife()
        try life.live()
        // Room for the commit, and none for keys without hers.
        let disk = life.machine.disk
        let sizes = try disk.list(SimulatedMachine.directory).map {
            disk.contents("\(SimulatedMachine.directory)/\($0)")?.count ?? 0
        }
        disk.capacity = sizes.reduce(2000, +)
        #expect(try life.erase("annalena") == nil)
        #expect(life.machine.core?.failure != nil)
        #expect(try life.readable() != [])
        disk.capacity = nil
        life.machine.crash(.kept, seed: 1)
        life.machine.start()
        #expect(try life.readable() == [])
    }

    @Test func `the same log is checked without any key`() throws {
        let life = ErasedLife()
        try life.live()
        try life.erase("annalena")
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
