/// `P4`: one switch for everything.
enum P4MasterSwitch: Rule {
    static var number: Int { 4 }
    static var name: StaticString { "opted_out" }

    static func objection(to matter: Matter) -> Objection? {
        matter.preferences.isEnabled ? nil : .drop(.optedOut)
    }

    static func sight(of matter: Matter) -> String {
        "enabled is \(matter.preferences.isEnabled)"
    }
}
