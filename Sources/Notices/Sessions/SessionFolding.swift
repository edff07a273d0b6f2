internal import CivilTime

/// `S3`, `S4`: when a session is complete, and who is asked for push permission then.
extension Person {
    /// How many messages make a session, and how long a silence ends it.
    static let sessionMessages = 4
    static let sessionSilence: Int64 = 300_000

    func exchange(in conversation: String, _ at: Instant) {
        let place = conversationPlace(conversation)
        details.conversations[place].exchanged += 1
        details.conversations[place].lastMessageAt = at
    }

    /// When a conversation's silence completes a session; `nil` while it has too few messages.
    static func sessionEnd(of conversation: Conversation) -> Instant? {
        guard conversation.exchanged >= sessionMessages else { return nil }
        return conversation.lastMessageAt.advanced(byMilliseconds: sessionSilence)
    }

    /// What the app reports ends every conversation's count, what was derived from one conversation only that one's.
    func complete(
        _ fact: SessionCompleted, _ sequence: UInt64, _ at: Instant, _ user: String, _ plan: Plan
    ) {
        lastActiveAt = at
        if plan.hasWeekly { details.week.add(at: at) { $0.sessions += 1 } }
        if hasDetails {
            let only = fact.conversation?.text
            for place in details.conversations.indices where only == nil || details.conversations[place].id == only {
                details.conversations[place].exchanged = 0
            }
            details.conversations.removeAll { $0.isIdle }
        }
        guard let prompt = plan.prompt, shouldBeAsked(prompt) else { return }
        raise(kind: prompt, sequence: sequence, at: at, user: user, plan: plan)
    }

    /// Once, and again only after a later session than a `not_now`; never after an answer.
    private func shouldBeAsked(_ prompt: Int) -> Bool {
        flags.isDisjoint(with: [.permissionGranted, .permissionDenied, .asked])
            && !details.waiting.contains { $0.notice.kind == prompt && $0.notice.raisedAt > details.notNowAt }
            && !details.raised.contains { $0.kind == prompt }
    }

    func place(ofConversation id: String) -> Int? {
        hasDetails ? details.conversations.firstIndex { $0.id == id } : nil
    }

    func conversationPlace(_ id: String) -> Int {
        if let place = details.conversations.firstIndex(where: { $0.id == id }) { return place }
        // Those with nothing left to decide make room.
        if details.conversations.count >= 32 { details.conversations.removeAll { $0.isIdle } }
        details.conversations.append(Conversation(id: id))
        return details.conversations.count - 1
    }
}

extension Desk {
    /// Completes a session whose silence is long enough, or whose app was closed; the newest conversation's first.
    func closeSessions(appWasClosed: Bool = false) {
        while person.hasDetails {
            let over = person.details.conversations.filter { conversation in
                guard let end = Person.sessionEnd(of: conversation) else { return false }
                return appWasClosed || end <= now
            }
            guard let last = over.max(by: { $0.lastMessageAt < $1.lastMessageAt }) else { return }
            var completed = SessionCompleted()
            completed.conversation = Identifier(last.id)
            completed.isDerived = true
            let payload = Payload.sessionCompleted(completed)
            let sequence = record(payload)
            fold(payload, sequence)
        }
    }

    func fold(_ decision: Payload, _ sequence: UInt64) {
        person.fold(decision, sequence: sequence, at: now, user: user, plan: plan)
    }
}
