public import Notices

/// `POST /v1/cluster/erase`, as workers write it: one person, or the people of one commit.
extension EraseOrder {
    init(_ body: [UInt8]) throws(RouteProblem) {
        var (user, mark, partition, stage): (String?, String?, Int?, EraseStage?)
        var people: [Person] = []
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            switch key {
            case "user": user = try OrderBody.identifier(node, at: key)
            case "mark": mark = try Self.mark(node, at: key)
            case "people":
                people = try node.elements.map { (one) throws(FieldError) in
                    guard let user = one["user"] else { throw FieldError(path: key, "must be a list of people") }
                    return Person(
                        try OrderBody.identifier(user, at: key),
                        marked: try one["mark"].map { (node) throws(FieldError) in try Self.mark(node, at: key) })
                }
            case "partition": partition = node.integer
            case "stage": stage = node.string.flatMap { EraseStage(rawValue: $0) }
            default:
                throw FieldError(
                    path: quoted(key), "is not a field of an erasure (known here: user, mark, people, partition, stage)"
                )
            }
        }
        if let user { people.append(Person(user, marked: mark)) }
        guard !people.isEmpty, let partition, let stage else {
            let stages = EraseStage.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badBody(
                .field(FieldError("an erasure names a user, or people, a partition and a stage (\(stages))")))
        }
        self.init(stage, people, in: partition)
    }

    private static func mark(_ node: JSONNode, at path: String) throws(FieldError) -> String {
        guard let text = node.string, PersonTokens.isMark(text) else {
            throw FieldError(path: path, "\(node.shown) is not what stands for a person in tokens")
        }
        return text
    }

    /// As it is read.
    public var document: JSONValue {
        var fields =
            people.count == 1
            ? people[0].fields : [JSONValue.Member("people", .array(people.map { .object($0.fields) }))]
        fields.append(JSONValue.Member("partition", .number("\(partition)")))
        fields.append(JSONValue.Member("stage", .string(stage.rawValue)))
        return .object(fields)
    }
}

extension EraseOrder.Person {
    fileprivate var fields: [JSONValue.Member] {
        let name = JSONValue.Member("user", .string(user))
        return if let mark { [name, JSONValue.Member("mark", .string(mark))] } else { [name] }
    }
}
