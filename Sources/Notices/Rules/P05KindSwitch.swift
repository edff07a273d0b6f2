/// `P5`: the kind, its subtype, or either for this goal or subject is off.
enum P5KindSwitch: Rule {
    static var number: Int { 5 }
    static var name: StaticString { "kind_off" }

    static func objection(to matter: Matter) -> Objection? {
        matter.switchedOff == nil ? nil : .drop(.kindOff)
    }

    static func sight(of matter: Matter) -> String {
        if let off = matter.switchedOff { return off }
        let (place, preferences) = (matter.notice.kind, matter.preferences)
        if place == matter.plan.summary, !preferences.kinds[place].isEnabled {
            return "kinds.\(matter.kind.name).enabled is false; it tells what was gathered all the same (D5)"
        }
        if matter.kind.digest != nil, !preferences.tellsOwn(of: place, matter.plan) {
            return "what it says of its own is switched off; it tells what was gathered (D5)"
        }
        return "kinds.\(matter.kind.name) is on"
    }
}

extension Matter {
    /// Of a digest that comes again: whether it told nothing that was gathered.
    private var repeatsItsOwnAlone: Bool {
        notice.isRepeat && person.hasDetails && person.details.snooze(named: notice.name)?.job.notices == 0
    }

    /// The switch that is off.
    fileprivate var switchedOff: String? {
        let place = notice.kind
        if plan.rules.isRetired(place) { return "the policy has no kind \(kind.name) any more" }
        // A digest that is switched off says nothing of its own, and what was gathered all the same (D5).
        if kind.digest != nil {
            return repeatsItsOwnAlone && !preferences.tellsOwn(of: place, plan)
                ? "all that it told is its own, which is switched off" : nil
        }
        // Of an overload's summary nothing is its own, and what it holds would be lost with it.
        if place == plan.summary { return nil }
        if !preferences.kinds[place].isEnabled { return "kinds.\(kind.name).enabled is false" }
        if place == plan.checkIn, !preferences.checkInsEnabled { return "check_ins_enabled is false" }
        let goal = notice.goal.map(String.init)
        if let goal, preferences.goals[goal]?.kinds[place]?.isEnabled == false {
            return "goals.\(goal).kinds.\(kind.name).enabled is false"
        }
        if let subject = notice.subject, preferences.isOff(place, forSubject: subject) {
            return "subjects.\(subject).kinds.\(kind.name).enabled is false"
        }
        if let subtype = notice.content?.subtype, !preferences.isOn(subtype, of: place, about: notice.subject) {
            return "kinds.\(kind.name).subtypes.\(subtype) is false"
        }
        return nil
    }
}
