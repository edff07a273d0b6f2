extension Copy {
    /// A place in a text where a value goes.
    public struct Placeholder: Sendable, Equatable {
        public var name: String
        /// `{count|one|many}` has two forms, `{name|there}` one, `{count}` and `{name}` none.
        public var forms: [String] = []
    }

    public static let counting = Phrase.Place.allCases.filter(\.isCounting).map(\.rawValue)
    public static let wording = Phrase.Place.allCases.filter { !$0.isCounting }.map(\.rawValue)

    /// The placeholders of a text in their order; an error for one that is not known or not closed.
    ///
    /// - Parameter choices: those of the policy, each `{choices.NAME}`.
    public static func placeholders(in text: String, choices: [String] = []) throws(FieldError) -> [Placeholder] {
        var found: [Placeholder] = []
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let inner = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let end = inner.firstIndex(where: { $0 == "{" || $0 == "}" }), inner[end] == "}"
            else { throw FieldError("has a brace without its other, near \(quoted(rest[brace...].prefix(20)))") }
            found.append(try placeholder(inner[..<end], choices.map { Phrase.choicePrefix + $0 }))
            rest = inner[inner.index(after: end)...]
        }
        return found
    }

    private static func placeholder(_ text: Substring, _ choices: [String]) throws(FieldError) -> Placeholder {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let (name, forms) = (parts[0], Array(parts.dropFirst()))
        let isCounting = counting.contains(name)
        guard isCounting || wording.contains(name) || choices.contains(name) else {
            throw FieldError("{\(name)} is not known" + advice(name, among: counting + wording + choices))
        }
        guard forms.isEmpty || forms.count == (isCounting ? 2 : 1) else {
            throw FieldError(
                isCounting
                    ? "{\(name)|…} takes two forms, such as {\(name)|one|many}"
                    : "{\(name)|…} does not count and takes one form, for where there is none: {\(name)|otherwise}")
        }
        return Placeholder(name: name, forms: forms)
    }

    /// Each text with its name in the policy document.
    public var texts: [(name: String, text: String)] {
        [
            ("title", title), ("body", body), ("bundle_title", bundleTitle), ("bundle_body", bundleBody),
            ("earlier", earlier),
        ]
            + bodies.enumerated().map { ("bodies[\($0)]", $1) }
    }
}

extension KindRule {
    /// All that it says in words with places for values, with where each stands in the kind's part of the document.
    var texts: [(path: String, text: String)] {
        copy.texts.map { ("copy.\($0.name)", $0.text) }
            + raisedBy.enumerated().flatMap { place, raised in
                [("raised_by[\(place)].title", raised.title), ("raised_by[\(place)].body", raised.body)]
            }
    }
}
