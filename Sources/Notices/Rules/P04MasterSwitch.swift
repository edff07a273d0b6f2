extension Rule {
    /// `P4`: one switch for everything.
    static let masterSwitch = Rule(
        number: 4, name: "opted_out",
        objection: { matter in matter.desk.person.preferences.isEnabled ? nil : .drop(.optedOut) },
        sight: { matter in "enabled is \(matter.desk.person.preferences.isEnabled)" })
}
