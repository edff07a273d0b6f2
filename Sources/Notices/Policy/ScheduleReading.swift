internal import CivilTime

/// A schedule out of its part of the policy document: `{"on":"weekly","day":"sun","at":"19:00"}`.
extension Schedule {
    static let names = [
        "check_in", "daily", "weekly", "goal", "deadline", "session", "travel", "missed_check_in", "message",
        "overload",
    ]

    init(_ part: ObjectReader) throws(FieldError) {
        var reader = part
        guard reader.has("on") else {
            throw reader.missing("on", "one of \(Self.names.joined(separator: ", "))")
        }
        switch try reader.word("on", among: Self.names) ?? "" {
        case "check_in": self = .checkIn
        case "daily": self = .daily(try Self.time(&reader))
        case "weekly":
            let names = Weekday.allCases.map(\.name)
            guard let day = try reader.word("day", among: names).flatMap({ Weekday(name: $0) }) else {
                throw reader.missing("day", "one of \(names.joined(separator: ", "))")
            }
            self = .weekly(day, try Self.time(&reader))
        case "goal": self = .goal(try Self.time(&reader))
        case "deadline": self = .deadline(try DeadlineOffsets(&reader))
        case "session": self = .session
        case "travel": self = .travel
        case "missed_check_in": self = .missedCheckIn(try Self.time(&reader))
        case "message": self = .message
        default: self = .overload
        }
        try reader.finish()
    }

    private static func time(_ reader: inout ObjectReader) throws(FieldError) -> LocalTime {
        var time = LocalTime.start
        try reader.require("at", &time)
        return time
    }
}

extension DeadlineOffsets {
    /// No deadline needs a warning earlier than a month before.
    static let minutesMax = 31 * 24 * 60

    fileprivate init(_ reader: inout ObjectReader) throws(FieldError) {
        self.init()
        guard let parts = try reader.parts("offsets", most: 20), !parts.isEmpty else {
            throw reader.refusal("offsets", #"needs at least one, such as {"minutes":60,"subtype":"1_hour"}"#)
        }
        for part in parts { offsets.append(try Offset(part)) }
        try reader.read("critical_minutes", &criticalMinutes, .range(0, Self.minutesMax))
    }
}

extension DeadlineOffsets.Offset {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        var reader = part
        var minutes = 0
        var subtype = Identifier.start
        var escalation: Identifier?
        try reader.require("minutes", &minutes, .range(1, DeadlineOffsets.minutesMax))
        try reader.require("subtype", &subtype)
        try reader.read("escalation", &escalation)
        try reader.finish()
        self.init(minutes: minutes, subtype: subtype.text, escalation: escalation?.text)
    }
}
