internal import CivilTime
internal import Notices

/// §6: a notice is dropped for what is true of it.
extension Auditor {
    mutating func checkDrop(_ drop: NoticeDropped, _ base: String, _ event: Event, _ person: Int) {
        let (clock, isKnown) = clock(of: person)
        // A kind that the policy has no more is off, and where nobody knows what hour it is everything is quiet (P5, G6).
        guard isKnown, let notice = people[person].notices[base], let kind = policy.kinds[notice.kind] else { return }
        // What was gathered for a digest that nobody has any more is asked as it was when it was raised.
        var asked = notice
        if notice.intoKind != nil, policy.teller(of: notice.gathering) == nil { asked.state = .raised }
        var job = JobEmitted()
        job.kind = drop.kind
        job.channels = [.push]
        // Of what its priority is not known, no rule is asked that this might pass.
        job.priority = notice.priority ?? .critical
        let matter = JobMatter(
            seq: event.seq, at: event.at, job: job, kind: kind, policy: policy, person: people[person],
            wishes: wishes(of: person), clock: clock, own: [asked], carried: [], snooze: nil, isSnooze: false,
            isForced: isRun(event, person, kind: kind.name, withForce: true), digestToCome: nil)
        let problem = matter.dropProblem(
            drop.reason, of: asked, digestsDropped: people[person].notices.digestsDropped(at: event.at))
        expect(.drops, event, problem == nil, problem ?? "")
    }

    /// N8, S1: a sample is asked P6 only, and a repeat what can stop it for good.
    mutating func checkWord(ofRepeatOrSample drop: NoticeDropped, isSample: Bool, _ event: Event) {
        // One that an outage has kept gives way to the next slot of its kind (C4).
        let isFit =
            isSample
            ? drop.reason == .noChannel
            : Self.permanentReasons.contains(drop.reason)
                || drop.reason == .superseded && NoticeID(drop.notice.text)?.isSlot == true
        expect(
            .drops, event, isFit,
            "\(drop.notice) is dropped for \(drop.reason.name), which nobody asks of \(isSample ? "a sample" : "a repeat")"
        )
    }
}
