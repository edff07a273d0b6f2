internal import CivilTime
internal import Notices

/// P11, P12 and P13: never more often than promised.
extension JobMatter {
    var cooldownFinding: Finding {
        let minutes = kind.cooldownMinutes ?? policy.cooldownMinutes
        // The digest is never asked about its kind's cooldown (D2), nor is the summary.
        guard !passesCooldownAndCap, !isGathering, minutes > 0 else { return .notAsked }
        guard let last = person.jobs.lastOfKind[kind.name] else { return .kept }
        guard at < last.at.advanced(byMinutes: Int64(minutes)) else { return .kept }
        return .broken(
            "the last job of \(kind.name) was event \(last.seq) at \(last.at), less than \(minutes) minutes before")
    }

    var overloadFinding: Finding {
        // A digest is asked P1 to P9 and P13 (D2).
        guard !passesLaterRules, kind.digest == nil, policy.dailyCap == nil, let limit = policy.overload else {
            return .notAsked
        }
        let count = person.jobs.count(inLast: limit.minutes, before: at)
        return count < limit.jobs
            ? .kept : .broken("it comes on top of \(count) jobs in the last \(limit.minutes) minutes")
    }

    var dailyCapFinding: Finding {
        guard !passesCooldownAndCap, let cap = policy.dailyCap else { return .notAsked }
        let count = person.jobs.counted(onDayOf: at, clock)
        let day = clock.localDay(at: at)
        if count >= cap {
            return .broken("\(count) jobs had gone out on \(day) in \(clock.rules.name), and the cap is \(cap)")
        }
        guard count == cap - 1, let digest = digestToCome, digest != kind.name else { return .kept }
        return .broken(
            "\(count) jobs had gone out on \(day) in \(clock.rules.name), and the last of the cap of \(cap) is kept for \(digest), which is still to come and has something to say"
        )
    }
}
