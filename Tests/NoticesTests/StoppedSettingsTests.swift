import CivilTime
import Simulation
import Testing

@testable import Notices

/// The page behind a mail's link says that the settings bring the mails back.
@Suite("V3, N6: what a link stopped, in the settings")
struct StoppedSettingsTests {
    private static let policy = """
        {"name":"p","fallback":true,"consent":"none","kinds":[
          {"name":"note","on_request":true,"channels":["push"]},{"name":"both","on_request":true,"channels":["push","email"]}]}
        """

    /// What stands beside the choice of a kind's channels.
    private func help(_ kind: String, _ facts: String...) throws -> String? {
        let plan = ShippedPlans.plan(document: Self.policy)
        var register = Register(plan)
        let reader = FactReader { _ in nil }
        let (enrolled, noon) = (
            #"{"type":"user_enrolled","user":"anna","data":{"timezone":"UTC"}}"#, Instant(seconds: 1_772_452_800)
        )
        for (place, line) in ([enrolled] + facts).enumerated() {
            let payload = try reader.read(line).payload
            register.fold(Event(seq: UInt64(place + 1), at: noon, user: "anna", payload: payload))
        }
        let person = register[try #require(register.number(of: "anna"))]
        let settings = Settings(
            of: "anna", person, plan, seq: UInt64(facts.count + 1), at: noon, analyser: AnalyserHere(isThere: false)
        ).json
        let kinds = settings["sections"]?.elements?.first { $0["name"]?.string == "kinds" }?["kinds"]?.elements
        return kinds?.first { $0["name"]?.string == kind }?["channels"]?["help"]?.string
    }

    private static let stop =
        #"{"type":"unsubscribed","user":"anna","data":{"channel":"email","kind":"note","how":"one_click"}}"#

    private func wants(_ patch: String) -> String {
        #"{"type":"preferences_changed","user":"anna","data":{"patch":\#(patch)}}"#
    }

    @Test func `is said beside its kind's channels until it is put back`() throws {
        #expect(try help("note") == nil)
        #expect(
            try help("note", Self.stop)
                == "You stopped Email for this. Choose it here, or switch Email off and on for everything, to have it again."
        )
        #expect(try help("both", Self.stop) == nil)
        #expect(try help("note", Self.stop, wants(#"{"kinds":{"note":{"channels":["push","email"]}}}"#)) == nil)
        let (off, on) = (wants(#"{"channels":{"email":false}}"#), wants(#"{"channels":{"email":true}}"#))
        #expect(try help("note", Self.stop, off) == nil, "its switch says so")
        #expect(try help("note", Self.stop, off, on) == nil)
        #expect(try help("note", Self.stop, on) != nil, "it was on, and no word of it")
    }
}
