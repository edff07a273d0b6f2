internal import Notices

/// P6, P7, P15 and P16: a job goes where the person chose and can be reached, or into the app they have open.
extension JobMatter {
    var channelsFinding: Finding {
        guard !job.channels.isEmpty else { return .broken("the job has no channel") }
        guard !isInAppOnly else { return .notAsked }
        if isLocked, let missing = kind.requiredChannels.first(where: { reaches($0) && !job.channels.contains($0) }) {
            return .broken("the job is not on \(missing.name), which \(kind.name) requires")
        }
        return .unless(job.channels.lazy.compactMap { self.channelProblem($0) }.first)
    }

    /// P6: a job goes on all channels that were chosen and reach the person, not on some of them.
    var everyChannelFinding: Finding {
        guard !isInAppOnly, !isLocked, !(isSnooze && mayDifferInOpenness) else { return .notAsked }
        // P7 may stop what a repeat tells of a conversation, and its channels with it.
        let surelyTold = isSnooze ? openNotices.filter { $0.conversation == nil } : own
        let missing = chosen(for: surelyTold, orElse: isSnooze ? [] : usualChannels).first { channel in
            channel != .inApp && wishes.channels.contains(channel) && reaches(channel)
                && !job.channels.contains(channel)
        }
        return .unless(
            missing.map { "the job is not on \($0.name), which was chosen for \(kind.name) and reaches the person" })
    }

    /// N8: on channels that were chosen and reach the person; of those maybe one only.
    var testFinding: Finding {
        guard !job.channels.isEmpty else { return .broken("the job has no channel") }
        return .unless(job.channels.lazy.compactMap { self.channelProblem($0) }.first)
    }

    func reaches(_ channel: Channel) -> Bool { problem(with: channel) == nil }

    private func problem(with channel: Channel) -> String? {
        person.reach.problem(with: channel, needsDevice: policy.knowsAddresses)
    }

    private func channelProblem(_ channel: Channel) -> String? {
        guard channel != .inApp else { return nil }
        if let problem = problem(with: channel) { return "the job is on \(channel.name), but \(problem)" }
        if isLocked, kind.requiredChannels.contains(channel) { return nil }
        guard wishes.channels.contains(channel) else {
            return "the job is on \(channel.name), which the person has switched off"
        }
        return chosen.contains(channel) ? nil : "the job is on \(channel.name), which was not chosen for \(kind.name)"
    }

    /// Of a repeat, those of its notices that are still open; where that cannot be said, of all.
    var chosen: [Channel] {
        chosen(for: isSnooze && !mayDifferInOpenness ? openNotices : own, orElse: usualChannels)
    }

    /// The person's channels for the goals that notices are about, or for the kind, or the policy's own.
    private func chosen(for notices: [LiveNotice], orElse none: [Channel]) -> [Channel] {
        notices.isEmpty ? none : notices.flatMap { $0.goal.flatMap { goalChannels($0) } ?? usualChannels }
    }

    private var usualChannels: [Channel] { wishes.kinds[kind.name]?.channels ?? kind.channels }

    /// What the person chose for a goal alone.
    func goalChannels(_ goal: String) -> [Channel]? { wishes.goals[goal]?[kind.name]?.channels }

    /// Whether the judge may take a notice of a repeat for open that is not, or the other way round: parts of it may be locked,
    /// or a deadline have been moved.
    var mayDifferInOpenness: Bool { kind.isLocked || kind.cause == .deadline }

    var viewingFinding: Finding {
        let conversations = own.compactMap(\.conversation)
        guard !conversations.isEmpty else { return .notAsked }
        return .unless(
            conversations.first { person.presence.isLooking(at: $0, at: at) == .yes }
                .map { "the person was looking at the conversation \($0)" })
    }

    var inAppFinding: Finding {
        let isOpen = person.presence.isOpen(at: at)
        if job.channels.contains(.inApp), !kind.channels.contains(.inApp), !kind.requiredChannels.contains(.inApp) {
            return isOpen == .no ? .broken("the job is in the app, which was not open") : .kept
        }
        // A locked kind always uses its own channels (P14).
        guard isOpen == .yes, !isLocked else { return .notAsked }
        return isInAppOnly
            ? .kept
            : .broken("the app was open, but the job went out on \(job.channels.map(\.name).joined(separator: ", "))")
    }
}
