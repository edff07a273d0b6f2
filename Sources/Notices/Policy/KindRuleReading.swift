/// A kind out of its part of the policy document.
extension KindRule {
    init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.require("name", &name)
        label = Text(Self.label(of: name))
        try reader.read("label", &label)
        try reader.read("priority", &priority)
        try reader.read("on_request", &isOnRequest)
        try reader.read("enabled", &isOnByDefault)
        if let part = try reader.part("schedule") { schedule = try Schedule(part) }
        for part in try reader.parts("raised_by", most: 20) ?? [] { raisedBy.append(try RaisedBy(part)) }
        if schedule == nil, raisedBy.contains(where: { $0.cause == .goalOverdue }) { schedule = .overdue }
        // What tells of a goal is not settled by what it tells of.
        isSettledByGoal = raisedBy.isEmpty
        if let word = try reader.word("digest", among: DigestScope.names) { digest = DigestScope(name: word) }
        try reader.read("locked", &isLocked)
        try reader.read("digestible", &isDigestible)
        if reader.has("digests") { digests = try Self.digests(&reader) }
        try reader.read("points", &pointsKind)
        try reader.read("counts_as_goal", &countsAsGoal)
        try reader.read("bundling", &isBundling)
        try reader.read("settled_by_goal", &isSettledByGoal)
        try reader.read("over_cap", &overCap)
        try reader.read("in_quiet_hours", &inQuietHours)
        try reader.read("cooldown_minutes", &cooldownMinutes, Policy.weekOfMinutes)
        try Self.read("channels", &channels, &reader)
        if channels.isEmpty { throw reader.refusal("channels", "needs at least one of push, email, sms, in_app") }
        try Self.read("required_channels", &requiredChannels, &reader)
        for part in try reader.parts("subtypes", most: 50) ?? [] { subtypes.append(try SubtypeRule(part)) }
        if let part = try reader.part("copy") { copy = try Copy(part) }
        if let part = try reader.part("sample") { sample = try Sample(part) }
        try reader.read("category", &category)
        try reader.read("actions", &actions)
        if actions.count > 10 { throw reader.refusal("actions", "\(actions.count) actions are more than the most, 10") }
        try reader.finish()
    }

    private static func digests(_ reader: inout ObjectReader) throws(FieldError) -> [DigestWish] {
        let allowed = "a list out of \(DigestWish.names.joined(separator: ", ")), each once"
        guard let node = reader.value("digests"), node.isArray, node.count > 0 else {
            throw reader.refusal("digests", "is not \(allowed)")
        }
        var wishes: [DigestWish] = []
        for element in node.elements {
            guard let wish = element.string.flatMap(DigestWish.init), !wishes.contains(wish) else {
                throw reader.refusal("digests", "\(element.shown) does not belong in \(allowed)")
            }
            wishes.append(wish)
        }
        return wishes
    }

    private static func read(
        _ name: String, _ channels: inout ChannelSet, _ reader: inout ObjectReader
    ) throws(FieldError) {
        guard reader.has(name) else { return }
        var list: [Channel] = []
        try reader.read(name, &list)
        channels = list.reduce(into: []) { $0.insert(ChannelSet($1)) }
    }

    /// What people call a kind that has no label: `goal_reminder` is "Goal reminder".
    static func label(of name: Identifier) -> String {
        let words = name.text.split(whereSeparator: { "_-.:@".contains($0) }).joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension SubtypeRule {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        try reader.require("name", &name)
        label = Text(KindRule.label(of: name))
        try reader.read("label", &label)
        try reader.read("enabled", &isOnByDefault)
        try reader.read("locked", &isLocked)
        try reader.finish()
    }
}

extension Sample {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        var (title, body) = (Text.start, Text.start)
        try reader.read("title", &title)
        try reader.read("body", &body)
        (self.title, self.body) = (title.text, body.text)
        try reader.read("data", &data)
        try reader.finish()
    }
}

extension Copy {
    fileprivate init(_ part: ObjectReader) throws(FieldError) {
        self.init()
        var reader = part
        title = try Self.text("title", &reader)
        body = try Self.text("body", &reader)
        bundleTitle = try Self.text("bundle_title", &reader)
        bundleBody = try Self.text("bundle_body", &reader)
        earlier = try Self.text("earlier", &reader)
        var lines: [Text] = []
        try reader.read("bodies", &lines)
        bodies = lines.map(\.text)
        if bodies.contains("") { throw reader.refusal("bodies", "has an empty line") }
        try reader.finish()
    }

    private static func text(_ name: String, _ reader: inout ObjectReader) throws(FieldError) -> String {
        var text = Text.start
        try reader.read(name, &text)
        return text.text
    }
}
