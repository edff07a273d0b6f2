internal import CivilTime

/// `P9`: a weekly schedule is set, and now is outside it.
enum P9Schedule: Rule {
    static var number: Int { 9 }
    static var name: StaticString { "outside_schedule" }

    static func objection(to matter: Matter) -> Objection? {
        guard let schedule = matter.preferences.schedule,
            schedule.end(containing: matter.now, in: matter.person.zone) == nil
        else { return nil }
        // A schedule that never opens again within weeks is asked once more tomorrow.
        let start = schedule.start(after: matter.now, in: matter.person.zone)
        return .hold(until: start ?? matter.now.advanced(byHours: 24), .outsideSchedule)
    }

    static func sight(of matter: Matter) -> String {
        guard let schedule = matter.preferences.schedule else { return "no weekly schedule is set" }
        let zone = matter.person.zone
        if let end = schedule.end(containing: matter.now, in: zone) { return "inside the schedule until \(end)" }
        return schedule.start(after: matter.now, in: zone).map { "outside the schedule until \($0)" }
            ?? "outside a schedule that never opens"
    }
}
