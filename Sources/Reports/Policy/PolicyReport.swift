public import CivilTime
public import Notices

/// The policy in force, as its document and in sentences.
public struct PolicyReport: Sendable {
    public var text: String
    /// The fact that adopted it, and when; `nil` for a log that has adopted none.
    public var adopted: (seq: UInt64, at: Instant)?

    public init(text: String, adopted: (seq: UInt64, at: Instant)?) {
        self.text = text
        self.adopted = adopted
    }

    /// For machines; `nil` for a text that is no policy.
    public var document: JSONValue? {
        guard let value = JSONValue(parsing: text), let policy = try? Policy(recorded: text) else { return nil }
        let reading = PolicyReading(policy)
        return .object([
            .init("policy", value), .init("seq", adopted.map { .number("\($0.seq)") } ?? .null),
            .init("adopted_at", .instant(adopted?.at)),
            .init("kinds", .array(reading.kinds.map(\.document))),
            .init("sentences", .array(reading.sentences.map { .string($0) })),
            .init("shipped", .array(ShippedPolicies.names.map { .string($0) })),
        ])
    }
}

extension PolicyReading.Kind {
    fileprivate var document: JSONValue {
        .object([
            .init("name", .string(name)), .init("label", .string(label)), .init("priority", .string(priority)),
            .init("sentence", .string(sentence)), .init("rules", .array(rules.map { .string($0) })),
        ])
    }
}

/// Whether a document may be adopted: all that is wrong with it, or what of it would do nothing.
public struct PolicyCheckReport: Sendable, Equatable {
    public var problems: [FieldError]
    /// Of a document that may be adopted.
    public var warnings: [FieldError] = []

    /// - Parameter zoneProblem: what is wrong with a zone's name; `nil` for one that the tz database has.
    public init(of text: String, zoneProblem: (String) -> String?) {
        do throws(Refusal) {
            let policy = try Policy(recorded: text)
            problems = policy.contradictions(zoneProblem: zoneProblem)
            if problems.isEmpty { warnings = policy.doubts }
        } catch {
            switch error {
            case .field(let problem): problems = (try? Policy.problems(reading: text)) ?? [problem]
            case .notJSON(let problem): problems = [FieldError("not JSON: \(problem)")]
            }
        }
    }

    public var document: JSONValue {
        .object([
            .init("ok", .bool(problems.isEmpty)), .init("problems", .problems(problems)),
            .init("warnings", .problems(warnings)),
        ])
    }
}

extension JSONValue {
    /// What is wrong with a document, each with its path in it.
    public static func problems(_ problems: [FieldError]) -> JSONValue {
        .array(problems.map { .object([.init("path", .string($0.path)), .init("problem", .string($0.problem))]) })
    }
}
