import CivilTime
import Foundation
import Journal
import Notices
import Sealing
import Testing

/// A log that has seals, read by a script that knows nothing of Belfry's but its documents.
@Suite("A log with seals")
struct SealedLogTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sealed-\(UUID().uuidString)")

    private struct Told: Decodable {
        var seq: UInt64
        var user: String?
        var id: String?
        var type: Int
        var data: [String: String?]
    }

    private func write(erasing: Bool, aging: Bool = false) throws -> [Told] {
        let directory = folder.path
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try Journal(directory, on: RealDisk(keys: LogKeys(.own)), holder: "a test")
        var (enrolled, requested, held, job) = (UserEnrolled(), NoticeRequested(), NoticeHeld(), JobEmitted())
        enrolled.timezone = ZoneName("Europe/Paris")
        enrolled.email = EmailAddress("anna@example.com")
        enrolled.displayName = Text("Zweig")
        requested.kind = Identifier("alert")
        requested.title = Text("")
        requested.body = Text("Prêt pour « demain » ?")
        requested.data["b"] = Text("2")
        requested.data["a"] = Text("1")
        held.notice = NoticeName("anna/alert/#2")
        held.kind = Identifier("alert")
        job.job = NoticeName("anna/alert/#2")
        job.notices = [NoticeName("anna/alert/#2"), NoticeName("anna/alert/#9")]
        let now = Instant(milliseconds: 1_772_000_000_000)
        _ = try journal.append(
            [
                Entry(user: "anna", id: "f1", payload: .userEnrolled(enrolled)),
                Entry(user: "bob", payload: .userEnrolled(UserEnrolled())),
                Entry(user: "anna", payload: .noticeRequested(requested)),
            ], at: now, textsByWeek: aging)
        _ = try journal.append(
            [Entry(user: "anna", payload: .noticeHeld(held)), Entry(user: "anna", payload: .jobEmitted(job))], at: now,
            textsByWeek: aging)
        if erasing { _ = try journal.append([Entry(user: "anna", payload: .personErased(PersonErased()))], at: now) }
        try journal.close()
        return try SealingOracle.run("log_oracle.py", [directory]).map {
            try JSONDecoder().decode(Told.self, from: Data($0.utf8))
        }
    }

    private static func hex(_ text: String) -> String { text.utf8.map { String(format: "%02x", $0) }.joined() }

    @Test(.enabled(if: SealingOracle.isInstalled), arguments: [false, true])
    func `is opened with its keys by a script`(aging: Bool) throws {
        let told = try write(erasing: false, aging: aging)
        #expect(told.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(told.map(\.user) == ["anna", "bob", "anna", "anna", "anna"])
        #expect(told[0].id == "f1")
        #expect(told[0].data["3"] == Self.hex("anna@example.com") && told[0].data["5"] == Self.hex("Zweig"))
        #expect(told[2].data["4"] == Self.hex("Prêt pour « demain » ?"))
        // Two entries of a map, one behind the other.
        #expect(told[2].data["7"] == "0a016112013" + "1" + "0a016212013" + "2")
        // An empty title is told by being there.
        #expect(told[2].data["3"] == "1a00")
        #expect(told[3].data["1"] == Self.hex("alert/#2"))
        #expect(told[4].data["3"] == Self.hex("alert/#9"), "the last of a list, without its person")
    }

    @Test(.enabled(if: SealingOracle.isInstalled))
    func `of somebody who was erased says that something was there, and no more`() throws {
        let told = try write(erasing: true)
        #expect(told.map(\.user) == [nil, "bob", nil, nil, nil, nil])
        #expect(told[0].id == nil)
        #expect(told[0].data.keys.contains("3") && told[0].data["3"] == .some(nil))
        #expect(told[3].data["1"] == Self.hex("alert/#2"))
        #expect(told.last?.type == PersonErased.type.number)
    }
}
