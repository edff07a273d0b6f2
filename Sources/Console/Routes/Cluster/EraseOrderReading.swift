public import Notices

/// `POST /v1/cluster/erase`, as workers write it: one person, or people who have left together.
extension EraseOrder {
    /// - Parameter partitions: among how many people are; `nil` where that is not known.
    init(_ body: [UInt8], partitions: Int? = nil) throws(RouteProblem) {
        var (user, mark, partition, stage, erased): (String?, String?, Int?, EraseStage?, Int?)
        var people: [Person]?
        try OrderBody.read(body) { (key, node) throws(FieldError) in
            switch key {
            case "user": user = try OrderBody.identifier(node, at: key)
            case "mark": mark = try Self.mark(node, at: key)
            case "people": people = try Self.people(node, at: key)
            case "partition": partition = try Self.number(node, at: key, max: partitions.map { $0 - 1 })
            case "stage":
                guard let known = node.string.flatMap({ EraseStage(rawValue: $0) }) else {
                    let stages = EraseStage.allCases.map(\.rawValue).joined(separator: ", ")
                    throw FieldError(path: key, "\(node.shown) is not one of \(stages)")
                }
                stage = known
            case "erased": erased = try Self.number(node, at: key)
            default:
                throw FieldError(
                    path: quoted(key),
                    "is not a field of an erasure (known here: user, mark, people, partition, stage, erased)")
            }
        }
        guard let partition else { throw .badBody(.field(FieldError(path: "partition", "is missing"))) }
        guard let stage else { throw .badBody(.field(FieldError(path: "stage", "is missing"))) }
        switch (user, people) {
        case (let user?, nil): self.init(stage, [Person(user, marked: mark)], in: partition, erased: erased)
        case (nil, let people?) where mark == nil: self.init(stage, people, in: partition, erased: erased)
        default: throw .badBody(.field(FieldError("an erasure names a user, who may have a mark, or people")))
        }
    }

    private static func people(_ node: JSONNode, at path: String) throws(FieldError) -> [Person] {
        guard node.isArray, (1...peopleMax).contains(node.count) else {
            throw FieldError(path: path, "must be a list of 1 to \(peopleMax) people")
        }
        var people: [Person] = []
        for (place, element) in node.elements.enumerated() {
            people.append(try person(element, at: "\(path)[\(place)]"))
        }
        return people
    }

    private static func person(_ node: JSONNode, at path: String) throws(FieldError) -> Person {
        var (user, mark): (String?, String?)
        for member in node.members {
            switch member.key {
            case "user": user = try OrderBody.identifier(member.value, at: "\(path).user")
            case "mark": mark = try Self.mark(member.value, at: "\(path).mark")
            default:
                throw FieldError(
                    path: "\(path).\(quoted(member.key))", "is not a field of a person (known here: user, mark)")
            }
        }
        guard let user else { throw FieldError(path: path, "must be an object with a user") }
        return Person(user, marked: mark)
    }

    private static func number(_ node: JSONNode, at path: String, max: Int? = nil) throws(FieldError) -> Int {
        let max = max ?? ValueShape.wholeNumberMax
        guard let number = node.integer, (0...max).contains(number) else {
            throw FieldError(path: path, "\(node.shown) is not a whole number from 0 to \(max)")
        }
        return number
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
        if let erased { fields.append(JSONValue.Member("erased", .number("\(erased)"))) }
        return .object(fields)
    }
}

extension EraseOrder.Person {
    fileprivate var fields: [JSONValue.Member] {
        let name = JSONValue.Member("user", .string(user))
        return if let mark { [name, JSONValue.Member("mark", .string(mark))] } else { [name] }
    }
}
