extension Rule {
    /// `P7`: the person is looking at it already.
    static let viewing = Rule(
        number: 7, name: "viewing",
        objection: { matter in matter.isLookedAt ? .drop(.viewing) : nil },
        sight: { matter in
            guard matter.notice.conversation != nil else { return "about no conversation" }
            return matter.isLookedAt ? "the conversation is open before them" : "not looking at the conversation"
        })
}

extension Matter {
    fileprivate var isLookedAt: Bool {
        guard let conversation = notice.conversation else { return false }
        return person.isViewing(conversation, at: now)
    }
}
