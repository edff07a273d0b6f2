/// Words that a person chose are theirs: keywords, and texts among the choices of the policy's own. No decision hangs on them:
/// which keywords a message holds is recorded with it, and choices are only handed on.
///
/// An empty list or text is left where each was, so that it is known which there were when nobody can read them any more.
extension PreferencesPatch: SealedValue {
    private static let words = "priority_keywords"
    private static let choices = "choices"

    public var isSecret: Bool {
        // Nearly all hold neither, and are not taken apart for it.
        guard document.text.contains(Self.words) || document.text.contains(Self.choices) else { return false }
        return !parted.secret.isEmpty
    }

    public var open: PreferencesPatch? { PreferencesPatch(.object(parted.open)) }

    public var secret: PreferencesPatch { PreferencesPatch(.object(parted.secret)) }

    private var parted: (open: [JSONValue.Member], secret: [JSONValue.Member]) {
        var open = JSONValue(parsing: document.text)?.members ?? []
        var secret: [JSONValue.Member] = []
        for place in open.indices {
            guard let texts = Self.texts(of: open[place]) else { continue }
            secret.append(.init(open[place].key, texts))
            open[place].value = Self.filled(open[place], with: "")
        }
        return (open, secret)
    }

    /// The person's own words in a member; `nil` for none.
    private static func texts(of member: JSONValue.Member) -> JSONValue? {
        switch member.key {
        case words: return (member.value.elements ?? []).isEmpty ? nil : member.value
        case choices:
            let texts = member.value.members.filter { !($0.value.string ?? "").isEmpty }
            return texts.isEmpty ? nil : .object(texts)
        default: return nil
        }
    }

    /// A member with one text in place of each of theirs; no text is no keyword.
    private static func filled(_ member: JSONValue.Member, with text: String) -> JSONValue {
        switch member.key {
        case words: return .array(text.isEmpty ? [] : [.string(text)])
        case choices:
            let all = member.value.members.map { choice in
                choice.value.string == nil ? choice : JSONValue.Member(choice.key, .string(text))
            }
            return .object(all)
        default: return member.value
        }
    }

    public mutating func veil() {
        var members = JSONValue(parsing: document.text)?.members ?? []
        let before = members
        for place in members.indices { members[place].value = Self.filled(members[place], with: Erased.text) }
        // Logs of before left no empty list where keywords were.
        if members == before { members.append(.init(Self.words, .array([.string(Erased.text)]))) }
        self = PreferencesPatch(.object(members))
    }
}
