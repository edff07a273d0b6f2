/// Reads a JSON object field by field and refuses what does not belong, with the path and what is allowed there.
///
/// What is left out stays as it was, so that a reader fills a value that already holds its defaults.
struct ObjectReader {
    let path: String
    private let node: JSONNode
    /// What was asked for, in that order.
    private var known: [String] = []

    init(_ node: JSONNode, at path: String = "") throws(FieldError) {
        self.node = node
        self.path = path
        guard node.isObject else { throw FieldError(path: path, "\(node.shown) is not an object") }
    }

    // MARK: Fields

    /// Whether a field stands there, whatever it holds.
    mutating func has(_ name: String) -> Bool { field(name) != nil }

    mutating func read<V: FieldValue>(_ name: String, _ value: inout V, _ limit: Limit = .none) throws(FieldError) {
        guard let inner = field(name) else { return }
        do { try value.readJSON(inner, limit) } catch { throw error.under(place(of: name)) }
    }

    mutating func require<V: FieldValue>(_ name: String, _ value: inout V, _ limit: Limit = .none) throws(FieldError) {
        guard has(name) else { throw missing(name, limit.describe(V.allowed)) }
        try read(name, &value, limit)
    }

    /// One of a few words.
    mutating func word(_ name: String, among words: [String]) throws(FieldError) -> String? {
        guard let inner = field(name) else { return nil }
        guard let word = inner.string, words.contains(word) else {
            throw refusal(name, "\(inner.shown) is not one of \(words.joined(separator: ", "))")
        }
        return word
    }

    mutating func value(_ name: String) -> JSONNode? { field(name) }

    // MARK: Objects inside

    mutating func part(_ name: String) throws(FieldError) -> ObjectReader? {
        guard let inner = field(name) else { return nil }
        return try ObjectReader(inner, at: place(of: name))
    }

    mutating func parts(_ name: String, most: Int) throws(FieldError) -> [ObjectReader]? {
        guard let inner = field(name) else { return nil }
        guard inner.isArray else { throw refusal(name, "\(inner.shown) is not a list of at most \(most) objects") }
        guard inner.count <= most else {
            throw refusal(name, "\(FieldError.tooMany(inner.count, "elements", most: most))")
        }
        var parts: [ObjectReader] = []
        for element in inner.elements {
            parts.append(try ObjectReader(element, at: place(of: name) + "[\(parts.count)]"))
        }
        return parts
    }

    // MARK: Refusals

    /// Every field that stands there must have been asked for.
    func finish() throws(FieldError) {
        for member in node.members where !known.contains(member.key) {
            let path = place(of: shownKey(member.key))
            throw FieldError(path: path, "is not a field here" + advice(member.key, among: known))
        }
    }

    func refusal(_ name: String, _ problem: String) -> FieldError { FieldError(path: place(of: name), problem) }

    func missing(_ name: String, _ allowed: String) -> FieldError {
        refusal(name, "is missing; it must be \(allowed)")
    }

    private func place(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private mutating func field(_ name: String) -> JSONNode? {
        if !known.contains(name) { known.append(name) }
        return node[name]
    }
}
