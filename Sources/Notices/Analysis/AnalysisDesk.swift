internal import CivilTime

/// When messages are analysed, and who decides where the analyser cannot (`A2`–`A5`).
extension Desk {
    /// How long the analyser has (`A4`).
    static let analysisPatience: Int64 = 10_000

    func concludeAnalyses() {
        guard person.hasDetails, plan.message != nil else { return }
        for name in person.conversationsDue(plan, by: now) {
            endAnalysis(of: name)
            beginAnalysis(of: name)
        }
    }

    private func conversation(_ name: String) -> Conversation? {
        person.details.conversations.first { $0.id == name }
    }

    private func endAnalysis(of name: String) {
        guard let conversation = conversation(name), let pending = conversation.pending else { return }
        guard person.wantsAnalysis(plan) else { return tellUnanalysed(conversation) }
        switch pending.answer {
        case .answered(let fact): conclude(name, fact)
        // Or there is none in time: it is due.
        case .failed, nil: fallBack(name, isPressing: pending.isPressing, because: .aiUnavailable)
        }
    }

    private func beginAnalysis(of name: String) {
        guard let conversation = conversation(name), let due = person.analysisDue(of: conversation, plan),
            due.at <= now
        else { return }
        guard person.wantsAnalysis(plan) else { return tellUnanalysed(conversation) }
        let window = person.details.analyses
        let isSpent = now < window.start.advanced(byHours: 1) && window.count >= person.preferences.maxAnalysesPerHour
        guard !isSpent else {
            return fallBack(name, isPressing: conversation.isPressing, because: .analysisLimit)
        }
        var request = AnalysisRequested()
        request.conversation = Identifier(name)
        request.trigger = due.trigger
        decide(.requestAnalysis(request))
    }

    private func conclude(_ name: String, _ answer: AnalysisAnswered) {
        var conclusion = AnalysisConcluded()
        conclusion.conversation = Identifier(name)
        conclusion.source = .ai
        conclusion.notify = answer.shouldNotify
        conclusion.priority = answer.asked
        conclusion.reason = answer.reason
        decide(.concludeAnalysis(conclusion))
    }

    /// `A6`: who wants no analyses any more is told of what waited for one, as they would have been at once. What came longer ago
    /// than a slot may be late (`C5`) is no news.
    private func tellUnanalysed(_ conversation: Conversation) {
        guard let kind = plan.message else { return }
        var conclusion = AnalysisConcluded()
        conclusion.conversation = Identifier(conversation.id)
        conclusion.notify = now <= conversation.lastMessageAt.advanced(byMilliseconds: plan.catchUp)
        conclusion.source = conclusion.notify ? .notifyAll : .suppressAll
        let isPressing = conversation.isPressing || conversation.pending?.isPressing ?? false
        conclusion.priority = isPressing ? .high : plan.kind(kind).priority
        conclusion.reason = Text((conclusion.notify ? Reason.optedOut : .missed).name)
        decideWithoutAnalysis(conclusion)
    }

    /// `A5`.
    private func fallBack(_ name: String, isPressing: Bool, because reason: Reason) {
        var conclusion = AnalysisConcluded()
        conclusion.conversation = Identifier(name)
        conclusion.source = person.preferences.fallback
        conclusion.reason = Text(reason.name)
        switch person.preferences.fallback {
        case .notifyAll:
            conclusion.notify = true
            conclusion.priority = .medium
        case .suppressAll:
            conclusion.notify = false
            conclusion.priority = .low
        case .simpleRules, .ai:
            conclusion.source = .simpleRules
            conclusion.notify = isPressing
            conclusion.priority = isPressing ? .high : .low
        }
        decideWithoutAnalysis(conclusion)
    }

    /// What is not to be told is raised all the same, and dropped with its reason.
    private func decideWithoutAnalysis(_ conclusion: AnalysisConcluded) {
        decide(.concludeAnalysis(conclusion))
        guard !conclusion.notify, let raised = person.details.raised.last else { return }
        drop(raised, conclusion.source == .suppressAll ? .suppressed : .noRuleMatched)
    }
}
