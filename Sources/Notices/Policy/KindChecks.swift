/// What one kind says that cannot be kept together, with paths from the kind on.
extension KindRule {
    func contradictions(in policy: Policy) -> [FieldError] {
        nameProblems + wayOfComing + digestProblems(policy) + waitingProblems(policy) + wishProblems(policy)
            + pointsProblems(policy) + channelProblems
            + subtypeProblems
            + offsetProblems + copyProblems(policy) + raisingProblems(policy)
    }

    private var nameProblems: [FieldError] {
        guard name.text == Priority.critical.name else { return [] }
        return [FieldError(path: "name", "critical is what quiet hours call every critical notice; name it otherwise")]
    }

    private var wayOfComing: [FieldError] {
        guard schedule == nil, !isOnRequest, !isToldInDigest, raisedBy.isEmpty else { return [] }
        return [
            FieldError(
                path: "schedule",
                "is missing, and on_request is false: a kind comes by a schedule, by a fact (raised_by) or on request"
            )
        ]
    }

    /// `D1`–`D4`: a digest is what others wait for, so it waits for nothing itself.
    private func digestProblems(_ policy: Policy) -> [FieldError] {
        guard let digest else { return [] }
        var found: [FieldError] = []
        switch (digest, schedule) {
        case (.daily, .daily), (.weekly, .weekly): break
        default:
            let example = #"{"on":"\#(digest.name)",…}"#
            found.append(FieldError(path: "digest", "a \(digest.name) digest needs a schedule \(example)"))
        }
        if isDigestible { found.append(FieldError(path: "digestible", "a digest cannot wait for a digest")) }
        if digest == .daily, inQuietHours == .drop {
            found.append(
                FieldError(
                    path: "in_quiet_hours", "a daily digest is held: dropped every night, it would never tell anything")
            )
        }
        if digest == .weekly, inQuietHours == .drop, policy.kinds.contains(where: { $0.digests.contains(.weekly) }) {
            found.append(
                FieldError(
                    path: "in_quiet_hours",
                    "a weekly digest that others wait for is held: dropped every week, it would never tell of them")
            )
        }
        if isLocked {
            found.append(FieldError(path: "locked", "a digest cannot be locked: it may have nothing to say"))
        }
        if isBundling {
            found.append(FieldError(path: "bundling", "a digest is not bundled; it is one notice already"))
        }
        switch (digest, overCap) {
        case (.daily, .hold), (.daily, .gather):
            found.append(
                FieldError(path: "over_cap", "a daily digest over the cap is dropped, and what was gathered stays (D2)")
            )
        case (.weekly, .gather):
            found.append(FieldError(path: "over_cap", "a digest cannot be gathered for a digest; write drop or hold"))
        case (.daily, .drop), (.weekly, .drop), (.weekly, .hold): break
        }
        return found
    }

    /// What is to wait for a digest needs one to wait for.
    private func waitingProblems(_ policy: Policy) -> [FieldError] {
        guard !policy.kinds.contains(where: { $0.digest == .daily }) else { return [] }
        var found: [FieldError] = []
        if isDigestible {
            found.append(FieldError(path: "digestible", "there is no kind with a daily digest to wait for"))
        }
        if overCap == .gather, digest == nil {
            found.append(FieldError(path: "over_cap", "there is no kind with a daily digest to gather for"))
        }
        return found
    }

    /// `P10`: each digest that can be wished for must be there, and whoever is asked must be able to wait.
    private func wishProblems(_ policy: Policy) -> [FieldError] {
        guard digests != [.none] else { return [] }
        if digest != nil { return [FieldError(path: "digests", "a digest cannot wait for a digest")] }
        if isLocked { return [FieldError(path: "digests", "a locked kind waits for nothing (P14)")] }
        return digests.compactMap { wish in
            guard wish != .none, !policy.kinds.contains(where: { $0.digest?.name == wish.rawValue }) else { return nil }
            return FieldError(path: "digests", "there is no kind with a \(wish.rawValue) digest to wait for")
        }
    }

    /// `D5`: whose switches points go by.
    private func pointsProblems(_ policy: Policy) -> [FieldError] {
        guard let pointsKind else { return [] }
        guard digest == .daily else { return [FieldError(path: "points", "only a daily digest tells points")] }
        let others = policy.kinds.filter { $0.name != name && $0.digest == nil && !$0.isLocked }.map(\.name.text)
        guard !others.contains(pointsKind.text) else { return [] }
        return [
            FieldError(
                path: "points",
                "\(pointsKind) is not another kind that can be switched off"
                    + advice(pointsKind.text, among: others))
        ]
    }

    private var channelProblems: [FieldError] {
        if isLocked, requiredChannels.isEmpty {
            return [
                FieldError(path: "required_channels", "is missing; a locked kind always uses them, so it needs some")
            ]
        }
        if !isLocked, !requiredChannels.isEmpty {
            return [FieldError(path: "required_channels", "only a locked kind has them")]
        }
        return []
    }

    private var subtypeProblems: [FieldError] {
        subtypes.enumerated().compactMap { place, subtype in
            guard subtypes[..<place].contains(where: { $0.name == subtype.name }) else { return nil }
            return FieldError(path: "subtypes[\(place)].name", "\(subtype.name) is there twice")
        }
    }

    private var offsetProblems: [FieldError] {
        guard case .deadline(let deadline) = schedule else { return [] }
        let names = subtypes.map(\.name.text)
        var found: [FieldError] = []
        for (place, offset) in deadline.offsets.enumerated() {
            let path = "schedule.offsets[\(place)]"
            if place > 0, offset.minutes >= deadline.offsets[place - 1].minutes {
                found.append(
                    FieldError(
                        path: path + ".minutes",
                        "\(offset.minutes) does not come after \(deadline.offsets[place - 1].minutes): "
                            + "write the earliest warning first, each once"))
            }
            for (field, name) in [("subtype", offset.subtype), ("escalation", offset.escalation)] {
                guard let name, !names.contains(name) else { continue }
                let problem =
                    names.isEmpty
                    ? "\(name) is not declared: the kind has no subtypes"
                    : "\(name) is not among the kind's subtypes" + advice(name, among: names)
                found.append(FieldError(path: "\(path).\(field)", problem))
            }
        }
        return found
    }

    private func copyProblems(_ policy: Policy) -> [FieldError] {
        texts.compactMap { path, text -> FieldError? in
            do throws(FieldError) {
                _ = try Copy.placeholders(in: text, choices: policy.choices.map(\.name.text))
                return nil
            } catch { return error.under(path) }
        }
    }
}

extension Schedule {
    /// As it stands in the policy document.
    public var word: String {
        switch self {
        case .checkIn: "check_in"
        case .daily: "daily"
        case .weekly: "weekly"
        case .goal: "goal"
        case .deadline: "deadline"
        case .overdue: "goal_overdue"
        case .session: "session"
        case .travel: "travel"
        case .missedCheckIn: "missed_check_in"
        case .message: "message"
        case .overload: "overload"
        }
    }
}
