internal import CivilTime

/// What the preferences document of SPEC §3 may hold, as data: one description for checking, for messages, and for whoever
/// describes it to others.
public indirect enum PreferenceShape: Sendable {
    case truth
    case time
    case zone
    case days
    case number(ClosedRange<Int>)
    case word([String])
    case words(countMax: Int, bytesMax: Int)
    case wordsFrom([String])
    case text(Int)
    /// Whatever a policy's choices may be: each says more.
    case scalar
    case slots
    case object([(name: String, shape: PreferenceShape)])
    /// An object whose keys are ids.
    case each(PreferenceShape)

    /// As the fields are declared, with the zone, which is kept on the person (`T9`).
    public static let document = PreferenceShape.object(
        DocumentField.inOrder.flatMap { field in
            let declared = (field.name, field.declaration.shape)
            return field == .enabled ? [declared, ("timezone", .zone)] : [declared]
        })

    static let quietHours = PreferenceShape.object([
        ("enabled", .truth), ("start", .time), ("end", .time), ("days", .days),
        ("exceptions", .words(countMax: 50, bytesMax: Identifier.bytesMax)),
    ])

    static let schedule = PreferenceShape.object(Weekday.allCases.map { ($0.name, .slots) })

    static let channels = PreferenceShape.object(ChannelSet.ringing.list.map { ($0.name, .truth) })

    static let kind = PreferenceShape.object([
        ("enabled", .truth),
        ("channels", .wordsFrom(ChannelSet.ringing.list.map(\.name))),
        ("digest", .word(DigestWish.names)),
        ("subtypes", .each(.truth)),
    ])

    static let kindOfGoal = PreferenceShape.object([
        ("enabled", .truth),
        ("channels", .wordsFrom(ChannelSet.ringing.list.map(\.name))),
        ("subtypes", .each(.truth)),
    ])

    static let kindOfSubject = PreferenceShape.object([("enabled", .truth), ("subtypes", .each(.truth))])

    static let subject = PreferenceShape.object([("kinds", .each(.kindOfSubject))])

    static let goal = PreferenceShape.object([
        ("reminder_time", .time),
        ("repeat", .word(["once", "every_2_hours", "hourly_before_deadline"])),
        ("days_before", .number(0...2)),
        ("kinds", .each(.kindOfGoal)),
    ])

    private var allowed: String {
        switch self {
        case .truth: Bool.allowed
        case .time: LocalTime.allowed
        case .zone: ZoneName.allowed
        case .days: WeekdaySet.allowed
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .words(let countMax, let bytesMax): "a list of at most \(countMax) texts of 1 to \(bytesMax) bytes"
        case .wordsFrom(let words): "a list out of " + words.joined(separator: ", ")
        case .text(let bytesMax): "a text of at most \(bytesMax) bytes"
        case .scalar: "true, false, a whole number or a text"
        case .slots: #"a list of slots such as ["09:00","17:00"]"#
        case .object, .each: "an object"
        }
    }

    /// `null` is allowed everywhere: in a merge patch it means "the default again".
    func check(_ value: JSONValue) throws(FieldError) {
        guard value != .null else { return }
        switch self {
        case .truth: try require(value.bool != nil, value)
        case .time: try require(value.string.flatMap { LocalTime($0) } != nil, value)
        case .zone:
            let utf8 = Array((value.string ?? "").utf8)
            try require(utf8.withUnsafeBytes { ZoneName.accepts($0) }, value)
        case .days: try checkDays(value)
        case .number(let range): try require(value.integer.map(range.contains) ?? false, value)
        case .word(let words): try require(value.string.map(words.contains) ?? false, value)
        case .words(let countMax, let bytesMax):
            try checkElements(value, countMax: countMax) { (1...bytesMax).contains($0.utf8.count) }
        case .wordsFrom(let words):
            try checkElements(value, countMax: words.count, words.contains)
        case .text(let bytesMax): try require(value.string.map { $0.utf8.count <= bytesMax } ?? false, value)
        case .scalar: try require(value.bool != nil || value.integer != nil || value.string != nil, value)
        case .slots: try checkSlots(value)
        case .object(let fields): try checkObject(value, fields)
        case .each(let shape): try checkEach(value, shape)
        }
    }

    /// The shape of one member of an object; of any other shape there are none.
    subscript(_ name: String) -> PreferenceShape? {
        guard case .object(let fields) = self else { return nil }
        for place in fields.indices where fields[place].name == name { return fields[place].shape }
        return nil
    }

    /// Whether it is an object that has a member of this name.
    func names(_ name: String) -> Bool {
        guard case .object(let fields) = self else { return false }
        for place in fields.indices where fields[place].name == name { return true }
        return false
    }

    private func require(_ isAllowed: Bool, _ value: JSONValue) throws(FieldError) {
        if !isAllowed { throw FieldError("\(value.shown) is not \(allowed)") }
    }

    private func list(_ value: JSONValue, countMax: Int) throws(FieldError) -> [JSONValue] {
        guard let elements = value.elements else { throw FieldError("\(value.shown) is not \(allowed)") }
        guard elements.count <= countMax else { throw .tooMany(elements.count, "elements", most: countMax) }
        return elements
    }

    private func checkElements(
        _ value: JSONValue, countMax: Int, _ isAllowed: (String) -> Bool
    ) throws(FieldError) {
        let elements = try list(value, countMax: countMax)
        for (position, element) in elements.enumerated() where !(element.string.map(isAllowed) ?? false) {
            throw FieldError(path: "[\(position)]", "\(element.shown) does not belong in \(allowed)")
        }
    }

    private func checkDays(_ value: JSONValue) throws(FieldError) {
        var seen = WeekdaySet()
        for (position, element) in try list(value, countMax: .max).enumerated() {
            guard let name = element.string, let day = Weekday(name: name) else {
                throw FieldError(
                    path: "[\(position)]", "\(element.shown) is not one of mon, tue, wed, thu, fri, sat, sun")
            }
            guard !seen.contains(day) else {
                throw FieldError(path: "[\(position)]", "\(name) is in the list twice")
            }
            seen.insert(WeekdaySet(day))
        }
    }

    private func checkObject(
        _ value: JSONValue, _ fields: [(name: String, shape: PreferenceShape)]
    ) throws(FieldError) {
        try require(value.isObject, value)
        for member in value.members {
            guard let shape = self[member.key] else {
                throw FieldError(path: shownKey(member.key), Self.unknown(known: fields.map(\.name)))
            }
            do { try shape.check(member.value) } catch { throw error.under(member.key) }
        }
    }

    static func unknown(known: [String]) -> String {
        "is not a preference (known here: \(known.joined(separator: ", ")))"
    }

    /// Of goals, kinds and subtypes that a person can have said something about.
    private static let membersMax = 1_000

    private func checkEach(_ value: JSONValue, _ shape: PreferenceShape) throws(FieldError) {
        try require(value.isObject, value)
        guard value.members.count <= Self.membersMax else {
            throw .tooMany(value.members.count, "members", most: Self.membersMax)
        }
        for member in value.members {
            var key = member.key
            guard key.withUTF8({ Identifier.accepts(UnsafeRawBufferPointer($0)) }) else {
                throw FieldError("the key \(quoted(key)) is not \(Identifier.allowed)")
            }
            do { try shape.check(member.value) } catch { throw error.under(key) }
        }
    }

    private func checkSlots(_ value: JSONValue) throws(FieldError) {
        for (position, slot) in try list(value, countMax: 48).enumerated() {
            let times = (slot.elements ?? []).map { $0.string.flatMap { LocalTime($0) } }
            // One that ends as it starts is 24 hours long (`T3`).
            guard times.count == 2, times[0] != nil, times[1] != nil else {
                throw FieldError(
                    path: "[\(position)]",
                    "\(slot.shown) is not a slot of two times such as [\"09:00\",\"17:00\"]")
            }
        }
    }
}
