extension Copy {
    /// A place in a text where a value goes.
    package struct Placeholder: Sendable, Equatable {
        package var name: String
        /// `{count|one|many}` has two forms, `{text|this where there is none}` one, `{count}` none.
        package var forms: [String] = []
    }

    /// What may stand in braces. Those that count may also choose between two forms, `{count|one|many}`; the others may
    /// have one form, for where they are not known: `{text|New message}`.
    package static let counting = ["count", "points", "items", "sessions", "check_ins", "goals"]
    package static let wording = ["title", "name", "left", "text", "subject"]

    /// The placeholders of a text in their order; an error for one that is not known or not closed.
    package static func placeholders(in text: String) throws(FieldError) -> [Placeholder] {
        var found: [Placeholder] = []
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let inner = rest[rest.index(after: brace)...]
            guard rest[brace] == "{", let end = inner.firstIndex(where: { $0 == "{" || $0 == "}" }), inner[end] == "}"
            else { throw FieldError("has a brace without its other, near \(quoted(rest[brace...].prefix(20)))") }
            found.append(try placeholder(inner[..<end]))
            rest = inner[inner.index(after: end)...]
        }
        return found
    }

    private static func placeholder(_ text: Substring) throws(FieldError) -> Placeholder {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let (name, forms) = (parts[0], Array(parts.dropFirst()))
        let isCounting = counting.contains(name)
        guard isCounting || wording.contains(name) else {
            throw FieldError("{\(name)} is not known" + advice(name, among: counting + wording))
        }
        guard forms.isEmpty || forms.count == (isCounting ? 2 : 1) else {
            throw FieldError(
                isCounting
                    ? "{\(name)|…} takes two forms, such as {\(name)|one|many}"
                    : "{\(name)|…} takes one form, for where it is not known, such as {\(name)|none}")
        }
        return Placeholder(name: name, forms: forms)
    }

    /// Each text with its name in the policy document.
    package var texts: [(name: String, text: String)] {
        [("title", title), ("body", body), ("bundle_title", bundleTitle), ("bundle_body", bundleBody)]
            + bodies.enumerated().map { ("bodies[\($0)]", $1) }
    }
}
