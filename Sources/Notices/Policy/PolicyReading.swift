internal import CivilTime

/// A policy out of its document. `POLICY.md` describes the document field by field.
extension Policy {
    /// The policy of a document that is to be adopted: its form is right and it contradicts itself nowhere.
    ///
    /// - Parameter zoneProblem: what is wrong with a zone's name; `nil` for one that the tz database has.
    public init(document text: String, zoneProblem: (String) -> String? = { _ in nil }) throws(Refusal) {
        self = try Self(recorded: text)
        if let contradiction = contradictions(zoneProblem: zoneProblem).first { throw .field(contradiction) }
    }

    /// The policy of a document that a log holds. What it contradicts is not asked: it was in force.
    public init(recorded text: String) throws(Refusal) {
        let root: JSONNode
        do { root = try JSONTape().parse(text) } catch { throw .notJSON(error) }
        do { self = try Self(root) } catch { throw .field(error) }
    }

    private init(_ root: JSONNode) throws(FieldError) {
        self.init()
        guard root.isObject else { throw FieldError("a policy is a JSON object") }
        var reader = try ObjectReader(root)
        try reader.require("name", &name)
        try reader.read("about", &about)
        try reader.read("default_timezone", &defaultZone)
        try reader.read("consent", &consent)
        try reader.read("addresses", &addresses)
        try reader.read("fallback", &givesWay)
        try reader.read("daily_cap", &dailyCap, .range(1, 1_000))
        try reader.read("cooldown_minutes", &cooldownMinutes, Self.weekOfMinutes)
        if let part = try reader.part("overload") { overload = try OverloadRule(part) }
        try reader.read("catch_up_minutes", &catchUpMinutes, Self.weekOfMinutes)
        try reader.read("bundle_minutes", &bundleMinutes, .range(0, 1_440))
        if let word = try reader.word("quiet_pass", among: [Priority.high.name, Priority.critical.name]) {
            quietPass = Priority(name: word) ?? .critical
        }
        try reader.read("check_ins_after_yes", &checkInsAfterYes)
        try reader.read("smart_messages", &isSmart)
        if let part = try reader.part("frequencies") { frequencies = try FrequencyDays(part) }
        if let part = try reader.part("snoozes") { snoozes = try SnoozeRule(part) }
        if let node = reader.value("preferences") { defaults = try Self.document(node, at: "preferences") }
        if let part = try reader.part("retention") { retention = try RetentionRule(part) }
        if let part = try reader.part("ranges") { ranges = try PreferenceRanges(part) }
        try readKinds(&reader)
        for part in try reader.parts("choices", most: 50) ?? [] { choices.append(try ChoiceRule(part)) }
        for part in try reader.parts("presets", most: 20) ?? [] { presets.append(try Preset(part)) }
        try reader.finish()
    }

    static let weekOfMinutes = Limit.range(0, 7 * 24 * 60)
    static let kindsMax = 100

    private mutating func readKinds(_ reader: inout ObjectReader) throws(FieldError) {
        guard let parts = try reader.parts("kinds", most: Self.kindsMax) else {
            throw reader.missing("kinds", "a list of the kinds of notice, each an object with at least a name")
        }
        for part in parts {
            var kind = part
            if dailyCap == nil, kind.has("over_cap") {
                throw kind.refusal("over_cap", "says nothing where daily_cap is null; leave it out")
            }
            kinds.append(try KindRule(part))
        }
        let told = Set(kinds.compactMap(\.pointsKind))
        for place in kinds.indices where told.contains(kinds[place].name) {
            kinds[place].isToldInDigest = kinds[place].schedule == nil && !kinds[place].isOnRequest
        }
    }

    /// A piece of a preferences document, of the right form; how far its values may go is held against the kinds later.
    fileprivate static func document(_ node: JSONNode, at path: String) throws(FieldError) -> JSONValue {
        guard node.isObject else { throw FieldError(path: path, "\(node.shown) is not an object of preferences") }
        let value = JSONValue(node)
        do { try PreferenceShape.document.check(value) } catch { throw error.under(path) }
        for name in ["timezone", "goals", "subjects"] where value[name] != nil {
            throw FieldError(path: "\(path).\(name)", "is each person's own; a policy cannot set it")
        }
        return value
    }
}

extension OverloadRule {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.read("jobs", &jobs, .range(1, 1_000))
        try reader.read("minutes", &minutes, .range(1, 1_440))
        try reader.finish()
    }
}

extension FrequencyDays {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try Self.read("daily", &daily, &reader)
        try Self.read("few_times_a_week", &fewTimesAWeek, &reader)
        try Self.read("weekly", &weekly, &reader)
        try reader.finish()
    }

    private static func read(_ name: String, _ days: inout WeekdaySet, _ reader: inout ObjectReader) throws(FieldError)
    {
        try reader.read(name, &days)
        if days.isEmpty { throw reader.refusal(name, "needs at least one day") }
    }
}

extension SnoozeRule {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.read("minutes", &minutes, .oneOf(15, 60, 120))
        if Set(minutes).count != minutes.count { throw reader.refusal("minutes", "names one length twice") }
        try reader.read("times", &times, .range(0, 100))
        try reader.finish()
    }
}

extension RetentionRule {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.read("people_after_days", &peopleAfterDays, Self.days)
        try reader.read("texts_after_days", &textsAfterDays, Self.days)
        if !reader.has("people_after_days"), !reader.has("texts_after_days") {
            throw reader.missing("people_after_days", "a number of days; or texts_after_days, or both")
        }
        try reader.finish()
    }
}

extension PreferenceRanges {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try Self.read("pause_threshold_seconds", &pauseThresholdSeconds, 1, 86_400, &reader)
        try Self.read("active_conversation_threshold", &activeConversationThreshold, 1, 1_000, &reader)
        try Self.read("max_analyses_per_hour", &maxAnalysesPerHour, 0, 1_000, &reader)
        try reader.finish()
    }

    private static func read(
        _ name: String, _ range: inout ClosedRange<Int>, _ low: Int, _ high: Int, _ reader: inout ObjectReader
    ) throws(FieldError) {
        guard reader.has(name) else { return }
        var bounds: [Int] = []
        try reader.read(name, &bounds, .range(low, high))
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            throw reader.refusal(
                name, "is not the lowest and the highest value, such as [\(range.lowerBound),\(range.upperBound)]")
        }
        range = bounds[0]...bounds[1]
    }
}

extension Preset {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.require("name", &name)
        try reader.read("about", &about)
        guard let node = reader.value("patch") else {
            throw reader.missing("patch", "an object with the preferences to change")
        }
        patch = try Policy.document(node, at: "\(reader.path).patch")
        try reader.finish()
    }
}
