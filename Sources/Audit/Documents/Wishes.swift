internal import CivilTime
internal import Notices

/// What holds for one person (SPEC §3): their own document over the policy's defaults over `standard`'s, read field by
/// field, each from the first of the three where it can be read.
struct Wishes: Sendable {
    struct QuietHours {
        var window: WallWindow
        /// Kinds, and the word `critical` (P14).
        var exceptions: Set<String>
    }

    struct KindWish {
        var isOn: Bool?
        var channels: [Channel]?
        var digest: String?
        var subtypes: [String: Bool]
    }

    var isEnabled: Bool
    var hasCheckIns: Bool
    /// `nil` while quiet hours are switched off.
    var quietHours: QuietHours?
    /// `nil` where none is set: then the week is open (P9).
    var schedule: [WallWindow]?
    var isDigestMode: Bool
    var channels: Set<Channel>
    var kinds: [String: KindWish]
    /// By goal, then by kind.
    var goals: [String: [String: KindWish]]
    /// By subject, then by kind.
    var subjects: [String: [String: KindWish]]
    var checkInDays: WeekdaySet
    var checkInTime: LocalTime?

    /// - Parameter saidYes: whether the person has tapped yes to check-ins (S4).
    init(own: JSONTree?, policy: PolicyDocument, saidYes: Bool) {
        let layers = [own, policy.preferences, Self.standard].compactMap { $0 }
        func first<Value>(_ field: String, in layers: [JSONTree], as read: (JSONTree) -> Value?) -> Value? {
            for layer in layers {
                if let value = layer[field].flatMap(read) { return value }
            }
            return nil
        }
        func first<Value>(_ field: String, as read: (JSONTree) -> Value?) -> Value? {
            first(field, in: layers, as: read)
        }
        isEnabled = first("enabled", as: { $0.truth }) ?? true
        hasCheckIns = first("check_ins_enabled", as: { $0.truth }) ?? true
        if policy.asksBeforeCheckIns { hasCheckIns = own?["check_ins_enabled"]?.truth ?? saidYes }
        isDigestMode = first("digest_mode", as: { $0.truth }) ?? false
        let switches: [(name: String, channel: Channel)] = [("push", .push), ("email", .email), ("sms", .sms)]
        let channelLayers = layers.compactMap { $0["channels"] }
        channels = Set(switches.filter { first($0.name, in: channelLayers, as: { $0.truth }) ?? false }.map(\.channel))
        let quiet = layers.compactMap { $0["quiet_hours"] }
        quietHours = nil
        if first("enabled", in: quiet, as: { $0.truth }) ?? true, let (start, end) = Self.quietTimes(layers) {
            quietHours = QuietHours(
                window: WallWindow(
                    start: start, end: end, days: first("days", in: quiet, as: { $0.weekdays }) ?? .all),
                exceptions: Set(first("exceptions", in: quiet, as: { $0.texts }) ?? []))
        }
        // A schedule without a single slot cannot be followed: nobody may state one.
        let usual = policy.preferences["schedule"] ?? .null
        let slots = usual.overlaid(with: own?["schedule"]).weeklySchedule
        schedule = slots?.isEmpty == true ? usual.weeklySchedule : slots
        // A word that is none of a policy's frequencies cannot be read.
        let usualDays = first("frequency", as: { $0.text.flatMap { policy.frequencies[$0] } })
        checkInDays = first("check_in_days", as: { $0.weekdays }) ?? usualDays ?? [.mon, .wed, .fri]
        checkInTime = first("check_in_time", as: { $0.time })
        kinds = policy.kindWishes.merging(Self.offered(Self.kinds(own?["kinds"]), by: policy)) { $0.overlaid(with: $1) }
        goals = (own?["goals"]?.members ?? [:]).mapValues { Self.kinds($0["kinds"]) }
        subjects = (own?["subjects"]?.members ?? [:]).mapValues { Self.kinds($0["kinds"]) }
    }

    static func kinds(_ document: JSONTree?) -> [String: KindWish] {
        (document?.members ?? [:]).mapValues { wish in
            KindWish(
                isOn: wish["enabled"]?.truth, channels: wish["channels"]?.channels,
                digest: wish["digest"]?.text,
                subtypes: (wish["subtypes"]?.members ?? [:]).compactMapValues { $0.truth ?? $0["enabled"]?.truth })
        }
    }

    /// A digest that the policy does not offer for a kind cannot be read, and everybody's holds.
    private static func offered(_ kinds: [String: KindWish], by policy: PolicyDocument) -> [String: KindWish] {
        var kinds = kinds
        for (name, wish) in kinds where !(policy.kinds[name]?.digests ?? []).contains(wish.digest ?? "") {
            kinds[name]?.digest = nil
        }
        return kinds
    }

    /// The beginning and end of quiet hours. Two that are the same cannot hold together: then a layer's own count for nothing.
    private static func quietTimes(_ layers: [JSONTree]) -> (start: LocalTime, end: LocalTime)? {
        var times: (start: LocalTime?, end: LocalTime?)
        for layer in layers.reversed() {
            let quiet = layer["quiet_hours"]
            let (start, end) = (quiet?["start"]?.time ?? times.start, quiet?["end"]?.time ?? times.end)
            if start != end { times = (start, end) }
        }
        guard let start = times.start, let end = times.end else { return nil }
        return (start, end)
    }

    static let standard = JSONTree(
        parsing: """
            {"enabled":true,"check_ins_enabled":true,"frequency":"few_times_a_week","check_in_time":"09:00",
             "quiet_hours":{"enabled":true,"start":"22:00","end":"08:00",
                "days":["mon","tue","wed","thu","fri","sat","sun"],"exceptions":[]},
             "digest_mode":false,"channels":{"push":true,"email":true,"sms":false}}
            """)
}

extension Wishes {
    /// The digest that a notice of a kind is to wait for: the kind's own, whatever the digest mode, or the mode's (P10).
    func digest(for kind: KindDocument, of policy: PolicyDocument) -> KindDocument.Digest? {
        func has(_ digest: KindDocument.Digest) -> Bool { policy.kinds.values.contains { $0.digest == digest } }
        let wished = kinds[kind.name]?.digest.flatMap { kind.digests.contains($0) ? $0 : nil } ?? kind.digests.first
        if let own = wished.flatMap(KindDocument.Digest.init), has(own) { return own }
        return isDigestMode && kind.isDigestible && has(.daily) ? .daily : nil
    }

    /// Whether a part of a kind is on for what a notice is about (P5): of switches of its own none may be off, and they stand
    /// before everybody's.
    func isOn(_ part: String, of kind: KindDocument, about subject: String?) -> Bool {
        let goal = subject.flatMap { $0.hasPrefix("goal:") ? goals[String($0.dropFirst(5))] : nil }
        let own = [goal, subject.flatMap { subjects[$0] }].compactMap { $0?[kind.name]?.subtypes[part] }
        return own.isEmpty
            ? kinds[kind.name]?.subtypes[part] ?? kind.subtypes[part]?.isOn ?? true : !own.contains(false)
    }

    /// Whether a kind is switched off for one subject, as a subject or as a goal.
    func isOff(_ kind: String, for subject: String) -> Bool {
        if subjects[subject]?[kind]?.isOn == false { return true }
        return subject.hasPrefix("goal:") && goals[String(subject.dropFirst(5))]?[kind]?.isOn == false
    }
}

extension Wishes.KindWish {
    func overlaid(with own: Self) -> Self {
        Self(
            isOn: own.isOn ?? isOn, channels: own.channels ?? channels,
            digest: own.digest ?? digest,
            subtypes: subtypes.merging(own.subtypes) { _, own in own })
    }
}

extension JSONTree {
    /// Merged with an object; anything else that was stored cannot be read and counts for nothing.
    func overlaid(with own: JSONTree?) -> JSONTree {
        if case .object? = own, let own { merged(with: own) } else { self }
    }

    var time: LocalTime? { text.flatMap { LocalTime($0) } }

    /// The slots of `schedule`, each with the day it begins on.
    var weeklySchedule: [WallWindow]? {
        guard case .object(let days) = self else { return nil }
        return Weekday.allCases.flatMap { day in
            (days[day.name]?.list ?? []).compactMap { slot in
                guard let times = slot.list?.compactMap(\.time), times.count == 2 else { return nil }
                return WallWindow(start: times[0], end: times[1], days: WeekdaySet(day))
            }
        }
    }
}
