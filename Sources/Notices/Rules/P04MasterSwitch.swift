extension Rule {
    /// `P4`: one switch for everything.
    static let masterSwitch = Rule(
        number: 4, name: "opted_out",
        objection: { matter in matter.preferences.isEnabled ? nil : .drop(.optedOut) },
        sight: { matter in "enabled is \(matter.preferences.isEnabled)" })
}
