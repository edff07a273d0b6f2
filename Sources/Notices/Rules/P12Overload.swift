internal import CivilTime

/// `P12`: too many jobs in the last hour, where no daily cap counts them. The summary of what was gathered waits
/// until the window allows it.
enum P12Overload: Rule {
    static var number: Int { 12 }
    static var name: StaticString { "overload" }

    static func objection(to matter: Matter) -> Objection? {
        guard matter.plan.policy.dailyCap == nil, matter.plan.summary != nil,
            let until = matter.person.overloadEnd(matter.plan), until > matter.now
        else { return nil }
        return matter.notice.kind == matter.plan.summary ? .hold(until: until, .overload) : .gather(.overload)
    }

    static func sight(of matter: Matter) -> String {
        let limit = matter.plan.policy.overload
        guard matter.plan.policy.dailyCap == nil else { return "the policy has a daily cap instead" }
        let since = matter.now.advanced(byMinutes: Int64(-limit.minutes))
        return
            "\(matter.person.ringing(after: since)) of \(limit.jobs) jobs in the last \(limit.minutes) minutes"
    }
}

extension Person {
    /// When the last jobs are few enough again: the tenth from the end has left the window.
    func overloadEnd(_ plan: Plan) -> Instant? {
        let limit = plan.policy.overload
        var left = limit.jobs
        // In place: it is asked of each notice that comes at once, and goes past everything that was skipped.
        return marks.withUnsafeBufferPointer { marks in
            for place in marks.indices.reversed() where marks[place].flags.contains([.job, .ringing]) {
                left -= 1
                if left == 0 { return marks[place].at.advanced(byMinutes: Int64(limit.minutes)) }
            }
            return nil
        }
    }

    fileprivate func ringing(after instant: Instant) -> Int {
        marks.reversed().prefix { $0.at > instant }.count { $0.flags.contains([.job, .ringing]) }
    }
}
