public import Notices

/// A change of preferences that somebody wants to see before it is made.
public enum PreviewedChange: Sendable, Equatable {
    case patch(PreferencesPatch)
    case preset(String)
    case reset
}

/// `POST /v1/people/U/preview`: `{"patch":{…}}`, `{"preset":"minimal"}` or `{"reset":true}`, read strictly.
extension PreviewedChange {
    init(_ body: [UInt8]) throws(RouteProblem) {
        self = try OrderBody.parse(body) { (root) throws(FieldError) in try Self.change(root) }
    }

    private static func change(_ root: JSONNode) throws(FieldError) -> PreviewedChange {
        guard root.isObject, root.count == 1, let member = Array(root.members).first else {
            throw FieldError("must be an object with one of patch, preset and reset")
        }
        switch member.key {
        case "patch":
            do { return .patch(try PreferencesPatch(member.value)) } catch { throw error.under("patch") }
        case "preset":
            guard let name = member.value.string, Identifier.isAccepted(name) else {
                throw FieldError(path: "preset", "\(member.value.shown) is not \(Identifier.allowed)")
            }
            return .preset(name)
        case "reset":
            guard member.value.bool == true else {
                throw FieldError(path: "reset", "\(member.value.shown) is not true")
            }
            return .reset
        default:
            throw FieldError(
                path: quoted(member.key), "is not a field of a preview (known here: patch, preset, reset)")
        }
    }
}
