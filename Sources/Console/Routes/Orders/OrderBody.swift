internal import Notices

/// The body of an order: one JSON object, read strictly.
enum OrderBody {
    static let usual = ["application/json"]
    static let patches = ["application/merge-patch+json", "application/json"]

    static func check(_ headers: HTTPHeaders, accepting types: [String] = usual) throws(RouteProblem) {
        let given = headers["Content-Type"] ?? "application/json"
        guard types.contains(MediaType(given).name) else {
            throw .unsupportedType(given: given.shownInMessage, accepted: types.joined(separator: " or "))
        }
    }

    /// Hands over each field; of an empty body none.
    static func read(
        _ body: [UInt8], bytesMax: Int = JSONLimits().bytesMax,
        _ take: (_ key: String, _ node: JSONNode) throws(FieldError) -> Void
    ) throws(RouteProblem) {
        if body.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }) { return }
        try parse(body, bytesMax: bytesMax) { (root) throws(FieldError) in
            guard root.isObject else { throw FieldError("an order is a JSON object") }
            for member in root.members { try take(member.key, member.value) }
        }
    }

    /// Hands over the whole, which lasts as long as it is looked at.
    static func parse<Value>(
        _ body: [UInt8], bytesMax: Int = JSONLimits().bytesMax, _ take: (JSONNode) throws(FieldError) -> Value
    ) throws(RouteProblem) -> Value {
        let tape = JSONTape(limits: JSONLimits(bytesMax: bytesMax))
        let root: JSONNode
        do throws(JSONError) {
            root = try body.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                try tape.parse(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw .badBody(.notJSON(error))
        }
        do throws(FieldError) { return try take(root) } catch { throw .badBody(.field(error)) }
    }

    static func identifier(_ node: JSONNode, at path: String) throws(FieldError) -> String {
        guard let text = node.string, Identifier.isAccepted(text) else {
            throw FieldError(path: path, "\(node.shown) is not \(Identifier.allowed)")
        }
        return text
    }
}
