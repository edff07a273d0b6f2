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
    func complete(_ fact: SessionCompleted, on occasion: Occasion) {
        let (at, plan) = (occasion.at, occasion.plan)
        lastActiveAt = at
        if plan.hasWeekly { details.week.add(at: at) { $0.sessions += 1 } }
        if hasDetails {
            if let only = fact.conversation?.text {
                if let place = place(ofConversation: only) { details.conversations[place].exchanged = 0 }
            } else {
                for place in details.conversations.indices { details.conversations[place].exchanged = 0 }
            }
            details.conversations.removeAll { $0.isIdle }
        }
        guard let prompt = plan.prompt, shouldBeAsked(prompt) else { return }
        raise(kind: prompt, on: occasion)
    }

    /// Once, and again only after a later session than a `not_now`; never after an answer.
    private func shouldBeAsked(_ prompt: Int) -> Bool {
        flags.isDisjoint(with: [.permissionGranted, .permissionDenied, .asked])
            && !details.waiting.contains { $0.notice.kind == prompt && !details.wasPutOff($0.notice) }
            && !details.raised.contains { $0.kind == prompt }
    }

    func place(ofConversation id: String) -> Int? {
        guard hasDetails else { return nil }
        // Looked at where they lie: to take one out of an array is to copy it.
        return details.conversations.withUnsafeBufferPointer { all in all.indices.first { all[$0].id == id } }
    }

    func conversationPlace(_ id: String) -> Int {
        if let place = place(ofConversation: id) { return place }
        // Those with nothing left to decide make room.
        if details.conversations.count >= 32 { details.conversations.removeAll { $0.isIdle } }
        if details.conversations.count >= PersonLimits.conversations { details.forgetConversation() }
        details.conversations.append(Conversation(id: id))
        return details.conversations.count - 1
    }
}

extension Details {
    /// Whether there is room for the messages of one more conversation: others with messages still to be looked at are
    /// not forgotten for it.
    func hasRoom(forConversation id: String) -> Bool {
        conversations.count < PersonLimits.conversations
            || conversations.contains { $0.id == id || !$0.isInUse }
    }

    /// Forgets the one in which nothing happened for longest. One in use goes only where a log of an older version has
    /// nothing but those.
    fileprivate mutating func forgetConversation() {
        let forgettable = conversations.indices.filter { !conversations[$0].isInUse }
        let oldest = (forgettable.isEmpty ? Array(conversations.indices) : forgettable).min {
            conversations[$0].lastMessageAt < conversations[$1].lastMessageAt
        }
        if let oldest { conversations.remove(at: oldest) }
    }
}

extension Desk {
    /// Completes a session whose silence is long enough, or whose app was closed; the newest conversation's first.
    func closeSessions(appWasClosed: Bool = false) {
        guard person.hasDetails else { return }
        // To complete one changes no other.
        let over = person.details.conversations.filter { conversation in
            guard let end = Person.sessionEnd(of: conversation) else { return false }
            return appWasClosed || end <= now
        }
        for conversation in over.sorted(by: { $0.lastMessageAt > $1.lastMessageAt }) {
            var completed = SessionCompleted()
            completed.conversation = Identifier(conversation.id)
            completed.isDerived = true
            decide(.completeSession(completed))
        }
    }
}
