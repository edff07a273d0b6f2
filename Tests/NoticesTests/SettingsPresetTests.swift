import CivilTime
import Simulation
import Testing

@testable import Notices

/// A preset is one of a policy; another policy may be in force since it was applied.
@Suite("§3, presets of the policy before")
struct SettingsPresetTests {
    private static let now = Instant(milliseconds: 1_772_460_000_000)

    private static let none: [String?] = [nil, nil]

    /// Anna's preset by her settings, and by the figures, once she has taken `minimal` under `microcommit` and this came after.
    private func preset(_ policies: String...) throws -> [String?] {
        var register = Register(ShippedPlans["microcommit"])
        var use = SettingsInUse(under: register.plan.policy)
        let reader = FactReader { _ in nil }
        let adopted = try policies.map { name in
            let text = try #require(ShippedPolicies.text(of: name))
            return #"{"type":"policy_adopted","data":{"policy":\#(text)}}"#
        }
        let own = [
            #"{"type":"user_enrolled","user":"anna","data":{"timezone":"Europe/Paris"}}"#,
            #"{"type":"preset_applied","user":"anna","data":{"preset":"minimal"}}"#,
        ]
        for (place, line) in (own + adopted).enumerated() {
            let fact = try reader.read(line)
            if SettingsInUse.hangs(on: fact.payload) { use.fold(fact.payload, at: Self.now, register.plan) }
            register.fold(Event(seq: UInt64(place + 1), at: Self.now, user: fact.user, payload: fact.payload))
        }
        let plan = register.plan
        let person = register[try #require(register.number(of: "anna"))]
        let settings = Settings(
            of: "anna", person, plan, seq: 4, at: Self.now, platforms: [:], analyser: AnalyserHere(isThere: true))
        return [settings.json["preset"]?.string, use.use(under: plan.rules).preset]
    }

    @Test func `one that the policy does not have is not told of, until the policy that has it is back`() throws {
        #expect(try preset() == ["minimal", "minimal"])
        #expect(try preset("standard") == Self.none)
        #expect(try preset("standard", "microcommit") == ["minimal", "minimal"])
    }

    @Test func `custom is told of under a policy with presets alone`() {
        let (with, without) = (ShippedPlans["microcommit"].rules, ShippedPlans["standard"].rules)
        let applied: [String?] = ["custom", "minimal", "tiny", nil]
        #expect(applied.compactMap { with.presetInForce($0) } == ["custom", "minimal"])
        #expect(applied.compactMap { without.presetInForce($0) } == [])
    }
}
