/// Documents as they stand in memory: what could not be read, and what stands twice, is kept as it is.
extension KeptWriter {
    mutating func json(_ value: JSONValue) {
        switch value {
        case .null: byte(0)
        case .bool(false): byte(1)
        case .bool(true): byte(2)
        case .number(let digits):
            byte(3)
            text(digits)
        case .string(let string):
            byte(4)
            text(string)
        case .array(let elements):
            byte(5)
            list(elements) { $0.json($1) }
        case .object(let members):
            byte(6)
            list(members) { writer, member in
                writer.text(member.key)
                writer.json(member.value)
            }
        }
    }
}

extension KeptReader {
    /// Deeper than any document that a fact may hold.
    private static let depthMax = 64

    mutating func json(depth: Int = 0) throws(KeptFault) -> JSONValue {
        guard depth < Self.depthMax else { throw .tooDeep }
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .number(try text())
        case 4: return .string(try text())
        case 5: return .array(try list { (reader) throws(KeptFault) in try reader.json(depth: depth + 1) })
        case 6:
            return .object(
                try list { (reader) throws(KeptFault) in
                    let key = try reader.text()
                    return JSONValue.Member(key, try reader.json(depth: depth + 1))
                })
        default: throw .outOfRange
        }
    }
}
