internal import CivilTime

/// What messages and analyses do to a person (`A2`–`A6`).
extension Person {
    func receive(_ fact: MessageReceived, on occasion: Occasion) {
        let (at, plan) = (occasion.at, occasion.plan)
        exchange(in: fact.conversation.text, at)
        guard let kind = plan.message else { return }
        let place = conversationPlace(fact.conversation.text)
        details.conversations[place].lastMessage = fact.message.text
        details.conversations[place].lastSender = fact.sender?.text
        details.conversations[place].lastAvatar = fact.avatar?.text
        details.analyses.lastConversation = fact.conversation.text
        // Whoever is looking at it has read it.
        if !isViewing(fact.conversation.text, at: at) { details.conversations[place].unread += 1 }
        if wantsAnalysis(plan) {
            details.conversations[place].fresh += 1
            if fact.isPressing { details.conversations[place].isPressing = true }
        } else {
            let about = PendingAnalysis(details.conversations[place], since: at)
            raise(
                kind: kind, subject: "conversation:" + fact.conversation.text, priority: fact.isPressing ? .high : nil,
                content: about.content(conversation: fact.conversation.text, text: nil), on: occasion)
        }
    }

    /// What was read needs no notice: everything starts over (`A2`).
    func read(_ conversation: String) {
        look(at: conversation)
        guard let place = place(ofConversation: conversation) else { return }
        details.conversations[place].fresh = 0
        details.conversations[place].isPressing = false
        details.conversations[place].pending = nil
    }

    /// Its messages count on no badge any more (`D8`).
    func look(at conversation: String) {
        if let place = place(ofConversation: conversation) { details.conversations[place].unread = 0 }
    }

    /// `P2`: what still waits to tell of a conversation that was read or opened is settled.
    func settle(conversation: String) {
        guard hasDetails else { return }
        func isAbout(_ notice: Notice) -> Bool { notice.conversation?.utf8.elementsEqual(conversation.utf8) ?? false }
        if details.waiting.contains(where: { isAbout($0.notice) }) {
            details.waiting.forEach { if isAbout($0.notice) { $0.isRead = true } }
        }
        let subject = "conversation:" + conversation
        answer(conversation: subject)
        for place in details.snoozes.indices
        where details.snoozes[place].job.subjects.contains(subject) && !details.snoozes[place].read.contains(subject) {
            details.snoozes[place].read.append(subject)
        }
    }

    func beginAnalysis(of conversation: String, _ at: Instant) {
        guard let place = place(ofConversation: conversation) else { return }
        if at >= details.analyses.start.advanced(byHours: 1) {
            details.analyses.start = at
            details.analyses.count = 0
        }
        details.analyses.count += 1
        details.conversations[place].pending = PendingAnalysis(details.conversations[place], since: at)
        details.conversations[place].fresh = 0
        details.conversations[place].isPressing = false
    }

    /// An answer that nobody waits for any more changes nothing.
    func answer(_ fact: AnalysisAnswered) {
        guard let place = place(ofConversation: fact.conversation.text) else { return }
        details.conversations[place].pending?.answer = .answered(fact)
    }

    func failAnalysis(of conversation: String) {
        guard let place = place(ofConversation: conversation) else { return }
        details.conversations[place].pending?.answer = .failed
    }

    /// Ends an analysis, or what would have been one, and raises the notice it calls for.
    func conclude(_ conclusion: AnalysisConcluded, on occasion: Occasion) {
        let name = conclusion.conversation.text
        let pending = self.place(ofConversation: name).flatMap { details.conversations[$0].pending }
        // What is told because nobody wants it analysed says nothing of the analyser, and tells all there is at once (`A6`).
        let isUnanalysed = conclusion.isUnanalysed
        if !isUnanalysed, pending != nil || wantsAnalysis(occasion.plan) {
            details.analyses.fallbackReason = conclusion.source == .ai ? nil : conclusion.reason.text
        }
        guard let kind = occasion.plan.message, let place = place(ofConversation: name) else { return }
        let whole = PendingAnalysis(details.conversations[place], since: occasion.at)
        let about = isUnanalysed ? whole : pending ?? whole
        if isUnanalysed || pending == nil {
            details.conversations[place].fresh = 0
            details.conversations[place].isPressing = false
        }
        details.conversations[place].pending = nil
        if details.conversations[place].isIdle { details.conversations.remove(at: place) }
        guard conclusion.notify || conclusion.source != .ai else { return }
        raise(
            kind: kind, subject: "conversation:" + name, priority: conclusion.priority,
            content: about.content(conversation: name, text: about.answeredText), on: occasion)
    }

    /// The conversations whose analysis begins or ends by an instant.
    func conversationsDue(_ plan: Plan, by instant: Instant) -> [String] {
        details.conversations.compactMap { conversation in
            if let pending = conversation.pending {
                return pending.answer != nil || patience(with: pending, plan) <= instant ? conversation.id : nil
            }
            return analysisDue(of: conversation, plan).map { $0.at <= instant } ?? false ? conversation.id : nil
        }
    }

    /// How long an analysis that is under way is waited for (`A4`): no longer at all once it is not wanted any more (`A6`).
    func patience(with pending: PendingAnalysis, _ plan: Plan) -> Instant {
        wantsAnalysis(plan) ? pending.since.advanced(byMilliseconds: Desk.analysisPatience) : .distantPast
    }

    /// When a conversation is to be analysed, and why; `nil` while nothing calls for it (`A2`). What waited for an analysis that is
    /// not wanted any more is due at once (`A6`).
    func analysisDue(of conversation: Conversation, _ plan: Plan) -> (at: Instant, trigger: AnalysisTrigger)? {
        guard conversation.fresh > 0, conversation.pending == nil, plan.message != nil else { return nil }
        guard wantsAnalysis(plan) else { return (.distantPast, .pause) }
        let isMany = conversation.fresh >= preferences.activeConversationThreshold
        let pause = Int64(preferences.pauseThresholdSeconds)
        var at = isMany ? .distantPast : conversation.lastMessageAt.advanced(bySeconds: pause)
        // Not while they are looking at it.
        if details.viewing == conversation.id {
            at = max(at, details.lastSeenAt.advanced(byMilliseconds: Self.freshness))
        }
        return (at, isMany ? .threshold : .pause)
    }
}

extension PendingAnalysis {
    init(_ conversation: Conversation, since: Instant) {
        self.init(
            since: since, isPressing: conversation.isPressing, message: conversation.lastMessage,
            sender: conversation.lastSender, avatar: conversation.lastAvatar)
    }

    fileprivate var answeredText: String? {
        if case .answered(let fact)? = answer { fact.noticeText.text } else { nil }
    }

    /// What a notice about the message says: where a tap leads, and whose face it shows.
    fileprivate func content(conversation: String, text: String?) -> NoticeContent {
        var data = FlatMap<Text>()
        data["conversation"] = Text(conversation)
        data["message"] = Text(message)
        if let sender { data["sender"] = Text(sender) }
        if let avatar { data["avatar"] = Text(avatar) }
        return NoticeContent(body: text, data: data)
    }
}

extension AnalysisConcluded {
    /// It says why there was no analysis, where none was wanted any more.
    fileprivate var isUnanalysed: Bool {
        source != .ai && [Reason.optedOut, .missed].contains { $0.name.utf8.elementsEqual(reason.text.utf8) }
    }
}

extension MessageReceived {
    /// It mentions the person or holds one of their keywords (`A5`, `A6`).
    fileprivate var isPressing: Bool { mentionsUser == true || !keywords.isEmpty }
}
