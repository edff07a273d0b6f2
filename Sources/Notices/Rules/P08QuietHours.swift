internal import CivilTime

/// `P8`: nobody is rung in their quiet hours.
enum P8QuietHours: Rule {
    static var number: Int { 8 }
    static var name: StaticString { "quiet_hours" }

    static func objection(to matter: Matter) -> Objection? {
        guard !matter.isExemptFromQuietHours, let end = matter.quietEnd else { return nil }
        // What the person asked to have again is late enough.
        let isDropped = matter.kind.inQuietHours == .drop && !matter.notice.isRepeat
        return isDropped ? .drop(.quietHours) : .hold(until: end, .quietHours)
    }

    static func sight(of matter: Matter) -> String {
        let exempt = matter.isExemptFromQuietHours ? ", but exempt" : ""
        if let problem = matter.person.zoneProblem { return "\(problem): every hour counts as quiet (G6)" + exempt }
        guard let window = matter.preferences.quietHours else { return "quiet hours are off" }
        let hours = "\(window.start)–\(window.end) (\(matter.person.zone))"
        guard let end = matter.quietEnd else { return "outside quiet hours \(hours)" }
        return "in quiet hours \(hours), until \(end)" + exempt
    }
}

extension Matter {
    /// `P14`: exceptions name kinds, and a policy may let `high` pass. Critical and locked notices are not asked.
    var isExemptFromQuietHours: Bool { person.passesQuietHours(notice.priority, notice.kind, plan) }

    /// When the quiet hours end that hold now.
    fileprivate var quietEnd: Instant? {
        // Without the zone's rules nobody knows what hour it is there: quiet (`G6`).
        if person.flags.contains(.zoneUnknown) { return now.advanced(byHours: 24) }
        guard let hours = preferences.quietHours else { return nil }
        return seenAlmanac.look { almanac in
            seenPerson.look { $0.lookAtZone { almanac.end(of: hours, containing: now, in: $0) } }
        }
    }
}

extension Person {
    /// - Parameter kind: `nil` where the policy has it no more.
    func passesQuietHours(_ priority: Priority, _ kind: Int?, _ plan: Plan) -> Bool {
        priority.rawValue >= plan.policy.quietPass.rawValue || kind.map { preferences.quietExceptions[$0] } ?? false
    }
}
