public import CivilTime

/// What a person has not looked at (`D8`).
extension Person {
    /// The number on the app's icon now.
    public func badge(at now: Instant, _ plan: Plan) -> Int { badge(now, plan) }

    /// The number on the app's icon before another notice comes: notices of the last 7 days that were neither opened,
    /// dismissed nor seen in the feed; under a policy with messages, unread messages.
    ///
    /// - Parameter base: a job that comes again now, and is counted with that.
    func badge(_ now: Instant, repeating base: String? = nil, _ plan: Plan) -> Int {
        if plan.message != nil {
            return hasDetails ? details.conversations.reduce(0) { $0 + $1.unread } : 0
        }
        let oldest = now.advanced(byMilliseconds: -Self.jobsRemembered)
        var count = 0
        // By place and backwards: a mark that is taken out to be looked at is counted.
        for place in marks.indices.reversed() {
            guard marks[place].at > oldest else { break }
            let flags = marks[place].flags
            guard flags.contains(.job), flags.isDisjoint(with: [.test, .seen]) else { continue }
            if let base, isNamed(base, place, plan) { continue }
            count += flags.contains(.several) ? marks[place].memo?.job?.notices ?? 1 : 1
        }
        return count
    }

    /// Whether a mark is of a job or of one of its repeats.
    private func isNamed(_ base: String, _ place: Int, _ plan: Plan) -> Bool {
        if let name = marks[place].memo?.job?.name { return name.isNameOrRepeat(of: base) }
        guard let slot = marks[place].slot else { return false }
        let name = NoticeName(base)
        return name.slot == .local(slot) && name.subject == nil
            && name.kind == plan.kind(Int(marks[place].kind)).name.text
    }

    /// The person has opened or dismissed a job, in whichever of its repeats.
    func answer(job name: String, _ plan: Plan) { see(job: name, isAnswered: true, plan) }

    func see(job name: String, isAnswered: Bool = false, _ plan: Plan) {
        let base = name.asRepeat?.base ?? name
        for place in marks.indices where marks[place].flags.contains(.job) && isNamed(base, place, plan) {
            marks[place].flags.insert(.seen)
            if isAnswered { marks[place].isAnswered = true }
        }
    }

    /// They have read or opened a conversation: what was said of it needs to be said on no other way.
    func answer(conversation subject: String) {
        let told = [subject]
        for place in marks.indices where marks[place].memo?.job?.subjects == told {
            marks[place].isAnswered = true
        }
    }

    /// They have looked at everything there is, or want none of it shown.
    func seeAll() {
        for place in marks.indices where marks[place].flags.contains(.job) { marks[place].flags.insert(.seen) }
    }
}

extension JobEmitted {
    /// How many notices it tells of: of a digest those that it lists, of which there may be none.
    func told(_ plan: Plan) -> Int {
        let isDigest = plan.rules.place(of: kind.text).map { plan.isDigest($0) } ?? false
        return isDigest ? notices.count - 1 : notices.count
    }
}
