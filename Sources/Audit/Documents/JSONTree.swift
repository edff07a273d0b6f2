internal import Notices

/// A JSON value kept whole, so that documents can be merged and asked for one field at a time.
///
/// A field that is missing and one of another type both read as `nil`: whoever asks says what then holds (SPEC §3,
/// "the fields that can be read are kept").
indirect enum JSONTree: Sendable, Equatable {
    case null
    case truth(Bool)
    case whole(Int)
    /// A number that is not whole; no document here has a use for one.
    case fraction
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(_ node: JSONNode) {
        if node.isObject {
            self = .object(
                Dictionary(node.members.map { ($0.key, JSONTree($0.value)) }, uniquingKeysWith: { _, last in last }))
        } else if node.isArray {
            self = .list(node.elements.map { JSONTree($0) })
        } else if let text = node.string {
            self = .text(text)
        } else if let truth = node.bool {
            self = .truth(truth)
        } else if let whole = node.integer {
            self = .whole(whole)
        } else {
            self = node.isNull ? .null : .fraction
        }
    }

    /// `nil` for what is no JSON.
    init?(parsing text: String) {
        let limits = JSONLimits(bytesMax: max(text.utf8.count, 1), depthMax: 64)
        guard let node = try? JSONTape(limits: limits).parse(text) else { return nil }
        self.init(node)
    }

    subscript(_ key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    subscript(path: [String]) -> JSONTree? {
        var place: JSONTree? = self
        for key in path { place = place?[key] }
        return place
    }

    var isNull: Bool { self == .null }

    var truth: Bool? {
        if case .truth(let value) = self { value } else { nil }
    }

    var whole: Int? {
        if case .whole(let value) = self { value } else { nil }
    }

    var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    var list: [JSONTree]? {
        if case .list(let value) = self { value } else { nil }
    }

    var members: [String: JSONTree] {
        if case .object(let value) = self { value } else { [:] }
    }

    /// The texts of a list of texts; `nil` where anything in it is something else.
    var texts: [String]? {
        guard let list else { return nil }
        let texts = list.compactMap(\.text)
        return texts.count == list.count ? texts : nil
    }

    /// What a merge patch makes of this value (RFC 7396): `null` takes a member away.
    func merged(with patch: JSONTree) -> JSONTree {
        guard case .object(let changes) = patch else { return patch }
        var result = members
        for (key, change) in changes {
            result[key] = change.isNull ? nil : (result[key] ?? .null).merged(with: change)
        }
        return .object(result)
    }
}
