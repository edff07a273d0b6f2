/// A fact that raises a notice of a kind, so that no app need ask for it (`C7`).
public struct RaisedBy: Sendable, Equatable {
    public enum Cause: Sendable, Equatable {
        case goalStarted
        /// However it ended, or in one way only.
        case goalEnded(GoalOutcome?)
        /// The deadline came and the goal has not ended (`C6`).
        case goalOverdue
        /// A check-in that makes so many local days in a row.
        case streak([Int])
        /// Points that bring the total there or beyond it.
        case points([Int])
    }

    public var cause = Cause.goalStarted
    /// The part of the kind that it is of.
    public var subtype: String?
    /// The kind's own words where these are empty.
    public var title = ""
    public var body = ""

    static let names = ["goal_started", "goal_ended", "goal_overdue", "streak", "points"]
    static let stepsMax = 50

    init(_ part: ObjectReader) throws(FieldError) {
        var reader = part
        guard reader.has("on") else { throw reader.missing("on", "one of \(Self.names.joined(separator: ", "))") }
        switch try reader.word("on", among: Self.names) ?? "" {
        case "goal_started": cause = .goalStarted
        case "goal_ended":
            let word = try reader.word("outcome", among: GoalOutcome.names)
            cause = .goalEnded(word.flatMap { GoalOutcome(name: $0) })
        case "goal_overdue": cause = .goalOverdue
        case "streak": cause = .streak(try Self.steps("days", 2...3_650, &reader))
        default: cause = .points(try Self.steps("totals", 1...1_000_000_000, &reader))
        }
        var subtype: Identifier?
        try reader.read("subtype", &subtype)
        self.subtype = subtype?.text
        var (title, body) = (Text.start, Text.start)
        try reader.read("title", &title)
        try reader.read("body", &body)
        (self.title, self.body) = (title.text, body.text)
        try reader.finish()
    }

    /// From the least to the most.
    private static func steps(
        _ name: String, _ range: ClosedRange<Int>, _ reader: inout ObjectReader
    ) throws(FieldError) -> [Int] {
        var steps: [Int] = []
        try reader.require(name, &steps, .range(range.lowerBound, range.upperBound))
        guard !steps.isEmpty, steps.count <= stepsMax, zip(steps, steps.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw reader.refusal(
                name, "names 1 to \(stepsMax) numbers, each greater than the one before, such as [3,7,30]")
        }
        return steps
    }
}

extension KindRule {
    /// What its facts and its schedule say that cannot be kept together.
    func raisingProblems(_ policy: Policy) -> [FieldError] {
        var found: [FieldError] = []
        if !raisedBy.isEmpty, digest != nil {
            found.append(FieldError(path: "raised_by", "a digest comes by its schedule, not by a fact"))
        }
        for (place, raised) in raisedBy.enumerated() {
            let path = "raised_by[\(place)]"
            if raised.cause == .goalOverdue, let schedule, schedule != .overdue {
                found.append(
                    FieldError(
                        path: path + ".on", "goal_overdue is a schedule of its own, and the kind has \(schedule.word)"))
            }
            if let subtype = raised.subtype, !subtypes.contains(where: { $0.name.text == subtype }) {
                found.append(FieldError(path: path + ".subtype", "\(subtype) is not among the kind's subtypes"))
            }
        }
        return found
    }
}
