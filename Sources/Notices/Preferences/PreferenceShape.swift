internal import CivilTime

/// What the preferences document of SPEC §3 may hold, as data: one description for checking and for messages.
indirect enum PreferenceShape: Sendable {
    case truth
    case time
    case zone
    case days
    case number(ClosedRange<Int>)
    case word([String])
    case words(countMax: Int, bytesMax: Int)
    case wordsFrom([String])
    case slots
    case object([(name: String, shape: PreferenceShape)])
    /// An object whose keys are ids.
    case each(PreferenceShape)

    static let document = PreferenceShape.object([
        ("enabled", .truth),
        ("timezone", .zone),
        ("check_ins_enabled", .truth),
        ("frequency", .word(["daily", "few_times_a_week", "weekly"])),
        ("check_in_time", .time),
        ("check_in_days", .days),
        (
            "quiet_hours",
            .object([
                ("enabled", .truth), ("start", .time), ("end", .time), ("days", .days),
                ("exceptions", .words(countMax: 50, bytesMax: Identifier.bytesMax)),
            ])
        ),
        ("schedule", .object(Weekday.allCases.map { ($0.name, .slots) })),
        ("digest_mode", .truth),
        ("channels", .object([("push", .truth), ("email", .truth), ("sms", .truth)])),
        ("kinds", .each(.kind)),
        (
            "goals",
            .each(
                .object([
                    ("reminder_time", .time),
                    ("repeat", .word(["once", "every_2_hours", "hourly_before_deadline"])),
                    ("days_before", .number(0...2)),
                    ("kinds", .each(.kind)),
                ]))
        ),
        ("pause_threshold_seconds", .number(1...86_400)),
        ("active_conversation_threshold", .number(1...1_000)),
        ("priority_keywords", .words(countMax: 100, bytesMax: 200)),
        ("max_analyses_per_hour", .number(0...1_000)),
        ("fallback_strategy", .word(["simple_rules", "notify_all", "suppress_all"])),
    ])

    private static let kind = PreferenceShape.object([
        ("enabled", .truth),
        ("channels", .wordsFrom(["push", "email", "sms"])),
        ("subtypes", .each(.truth)),
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
        case .slots: #"a list of slots such as ["09:00","17:00"]"#
        case .object, .each: "an object"
        }
    }

    /// `null` is allowed everywhere: in a merge patch it means "the default again".
    func check(_ node: JSONNode) throws(FieldError) {
        guard !node.isNull else { return }
        switch self {
        case .truth: try require(node.bool != nil, node)
        case .time: try require(node.string.flatMap { LocalTime($0) } != nil, node)
        case .zone:
            var zone = ZoneName.start
            try zone.readJSON(node, .none)
        case .days:
            var days = WeekdaySet.start
            try days.readJSON(node, .none)
        case .number(let range): try require(node.integer.map(range.contains) ?? false, node)
        case .word(let words): try require(node.string.map(words.contains) ?? false, node)
        case .words(let countMax, let bytesMax):
            try require(node.isArray && node.count <= countMax, node)
            try checkElements(node) { (1...bytesMax).contains($0.utf8.count) }
        case .wordsFrom(let words):
            try require(node.isArray && node.count <= words.count, node)
            try checkElements(node, words.contains)
        case .slots: try checkSlots(node)
        case .object(let fields): try checkObject(node, fields)
        case .each(let shape): try checkEach(node, shape)
        }
    }

    private func require(_ isAllowed: Bool, _ node: JSONNode) throws(FieldError) {
        if !isAllowed { throw FieldError("\(node.shown) is not \(allowed)") }
    }

    private func checkElements(_ node: JSONNode, _ isAllowed: (String) -> Bool) throws(FieldError) {
        for (position, element) in node.elements.enumerated() where !(element.string.map(isAllowed) ?? false) {
            throw FieldError(path: "[\(position)]", "\(element.shown) does not belong in \(allowed)")
        }
    }

    private func checkObject(
        _ node: JSONNode, _ fields: [(name: String, shape: PreferenceShape)]
    ) throws(FieldError) {
        try require(node.isObject, node)
        for member in node.members {
            let key = member.key
            guard let field = fields.first(where: { $0.name == key }) else {
                let known = fields.map(\.name).joined(separator: ", ")
                throw FieldError(path: shownKey(key), "is not a preference (known here: \(known))")
            }
            do { try field.shape.check(member.value) } catch { throw error.under(key) }
        }
    }

    private func checkEach(_ node: JSONNode, _ shape: PreferenceShape) throws(FieldError) {
        try require(node.isObject && node.count <= 1_000, node)
        for member in node.members {
            var key = member.key
            guard key.withUTF8({ Identifier.accepts(UnsafeRawBufferPointer($0)) }) else {
                throw FieldError("the key \(quoted(key)) is not \(Identifier.allowed)")
            }
            do { try shape.check(member.value) } catch { throw error.under(key) }
        }
    }

    private func checkSlots(_ node: JSONNode) throws(FieldError) {
        try require(node.isArray && node.count <= 48, node)
        for (position, slot) in node.elements.enumerated() {
            let times = slot.elements.map { $0.string.flatMap { LocalTime($0) } }
            guard slot.isArray, times.count == 2, let start = times[0], let end = times[1], start != end else {
                throw FieldError(
                    path: "[\(position)]",
                    "\(slot.shown) is not a slot of two different times such as [\"09:00\",\"17:00\"]")
            }
        }
    }
}
