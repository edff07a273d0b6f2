/// `P5`: the kind, its subtype, or the kind for this goal is off.
enum P5KindSwitch: Rule {
    static var number: Int { 5 }
    static var name: StaticString { "kind_off" }

    static func objection(to matter: Matter) -> Objection? {
        matter.switchedOff == nil ? nil : .drop(.kindOff)
    }

    static func sight(of matter: Matter) -> String {
        matter.switchedOff ?? "kinds.\(matter.kind.name) is on"
    }
}

extension Matter {
    /// The switch that is off.
    fileprivate var switchedOff: String? {
        let place = notice.kind
        if plan.rules.isRetired(place) { return "the policy has no kind \(kind.name) any more" }
        // A digest that is switched off says nothing of its own, and what was gathered all the same (D5).
        if place == plan.dailyDigest { return nil }
        if !preferences.kinds[place].isEnabled { return "kinds.\(kind.name).enabled is false" }
        if place == plan.checkIn, !preferences.checkInsEnabled { return "check_ins_enabled is false" }
        let goal = notice.goal.map(String.init)
        if let goal, preferences.goals[goal]?.kinds[place]?.isEnabled == false {
            return "goals.\(goal).kinds.\(kind.name).enabled is false"
        }
        if let subtype = notice.content?.subtype, !preferences.isOn(subtype, of: place, goal: goal) {
            return "kinds.\(kind.name).subtypes.\(subtype) is false"
        }
        return nil
    }
}
