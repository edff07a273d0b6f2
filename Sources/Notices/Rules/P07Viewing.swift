/// `P7`: the person is looking at it already.
enum P7Viewing: Rule {
    static var number: Int { 7 }
    static var name: StaticString { "viewing" }

    static func objection(to matter: Matter) -> Objection? {
        matter.isLookedAt ? .drop(.viewing) : nil
    }

    static func sight(of matter: Matter) -> String {
        guard matter.notice.conversation != nil else { return "about no conversation" }
        return matter.isLookedAt ? "the conversation is open before them" : "not looking at the conversation"
    }
}

extension Matter {
    fileprivate var isLookedAt: Bool {
        guard let conversation = notice.conversation else { return false }
        return person.isViewing(conversation, at: now)
    }
}
