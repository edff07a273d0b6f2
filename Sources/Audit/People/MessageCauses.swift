internal import Notices

/// What a notice about messages may be raised by: a message, or what was concluded of several (A5, A6).
///
/// Each is forgotten with the notice that it raised, so that what is kept grows with notices.
struct MessageCauses {
    private struct Cause {
        var conversation: String
        var priority: Priority
    }

    private var causes: [UInt64: Cause] = [:]
    /// The last message that waited for an analysis. None of those is kept.
    private var lastAnalysed: UInt64 = 0

    mutating func add(_ seq: UInt64, in conversation: String, _ priority: Priority) {
        causes[seq] = Cause(conversation: conversation, priority: priority)
    }

    mutating func leaveToAnalysis(_ seq: UInt64) { lastAnalysed = seq }

    /// Whether an event may have raised a notice about a subject. Of messages that were analysed nobody here knows.
    func mayRaise(_ seq: UInt64, about subject: String?) -> Bool {
        guard let cause = causes[seq] else { return seq <= lastAnalysed }
        return subject == "conversation:\(cause.conversation)"
    }

    /// How pressing the notice is that an event raised.
    mutating func take(_ seq: UInt64) -> Priority? { causes.removeValue(forKey: seq)?.priority }
}

extension Auditor {
    /// A6: who did not opt in is told of every message, as high where it mentions them or holds one of their keywords.
    mutating func noteMessage(_ message: MessageReceived, _ event: Event, _ person: Int) {
        guard let kind = policy.kinds.values.first(where: { $0.cause == .message }) else { return }
        let needed: ConsentGiver = people[person].isMinor ? .guardian : .user
        if policy.isSmart, people[person].consents.contains(needed), wishes(of: person).isEnabled {
            return people[person].messages.leaveToAnalysis(event.seq)
        }
        let isPressing = message.mentionsUser == true || !message.keywords.isEmpty
        people[person].messages.add(event.seq, in: message.conversation.text, isPressing ? .high : kind.priority)
    }

    /// A5: what an analysis lets through is as pressing as it says. A fallback raises also what it then drops.
    mutating func noteConclusion(_ conclusion: AnalysisConcluded, _ event: Event, _ person: Int) {
        guard policy.countsMessages, conclusion.notify || conclusion.source != .ai else { return }
        people[person].messages.add(event.seq, in: conclusion.conversation.text, conclusion.priority)
    }
}
