internal import CivilTime
internal import Notices

/// A policy as its document says, with `standard`'s values where it says nothing (SPEC §15).
///
/// Only what the judge asks about is read, and anything that cannot be read counts as not said.
struct PolicyDocument: Sendable {
    enum Consent: String { case none, guardianForMinors = "guardian_for_minors", person }

    struct Overload {
        var jobs: Int
        var minutes: Int
    }

    var name: String
    var defaultZone: String
    var consent: Consent
    /// Whether push reaches registered devices only (P16).
    var knowsAddresses: Bool
    /// `nil` for a policy without a daily cap (P13).
    var dailyCap: Int?
    var cooldownMinutes: Int
    /// Asked only where there is no cap (P12).
    var overload: Overload?
    var catchUpMinutes: Int
    var bundleMinutes: Int
    /// The least priority that passes quiet hours (P14).
    var quietPass: Priority
    /// `enabled` then means smart notifications, and P4 does not apply (A6).
    var isSmart: Bool
    /// Check-ins are off until the person has tapped yes (S4).
    var asksBeforeCheckIns: Bool
    var snoozesMax: Int
    var frequencies: [String: WeekdaySet]
    /// The policy's own defaults; `standard`'s stand behind them.
    var preferences: JSONTree
    /// What they say of kinds.
    var kindWishes: [String: Wishes.KindWish]
    var kinds: [String: KindDocument]
    /// The digests and the summary that tell what was gathered: of those that would gather the same, the first.
    private var tellers: [KindDocument.Gathering: String] = [:]
    /// Digests and summaries of the policies before that this one does not have: one that waits has its turn still.
    private(set) var retired: [String: KindDocument] = [:]
    /// Since when each kind comes when it does: a slot before is none (T10).
    private(set) var scheduledSince: [String: Instant] = [:]
    /// Whether any kind is raised by facts (C7).
    var hasRaisingFacts: Bool
    var presets: [String: JSONTree]
    /// Of whom nothing was heard for so long, they are erased; `nil` for nobody.
    var peopleKeptDays: Int?
    /// How many days texts of notices are kept; `nil` for as long as their people.
    var textsKeptDays: Int?
    /// The badge then is their unread messages (D8).
    var countsMessages: Bool

    init(_ document: JSONTree) {
        name = document["name"]?.text ?? ""
        defaultZone = document["default_timezone"]?.text ?? "UTC"
        consent = document["consent"]?.text.flatMap(Consent.init) ?? .none
        knowsAddresses = document["addresses"]?.text == "here"
        let cap = document["daily_cap"]
        dailyCap = cap?.isNull == true ? nil : cap?.whole ?? 3
        cooldownMinutes = document["cooldown_minutes"]?.whole ?? 30
        overload = document["overload"].flatMap { rule in
            rule.isNull ? nil : Overload(jobs: rule["jobs"]?.whole ?? 10, minutes: rule["minutes"]?.whole ?? 60)
        }
        catchUpMinutes = document["catch_up_minutes"]?.whole ?? 240
        bundleMinutes = document["bundle_minutes"]?.whole ?? 15
        quietPass = document["quiet_pass"]?.text.flatMap(Priority.init(name:)) ?? .critical
        isSmart = document["smart_messages"]?.truth ?? false
        asksBeforeCheckIns = document["check_ins_after_yes"]?.truth ?? false
        // S2 names the number; a policy may ask for fewer.
        snoozesMax = min(3, document["snoozes"]?["times"]?.whole ?? 3)
        frequencies = Self.usualFrequencies
        for (name, days) in document["frequencies"]?.members ?? [:] {
            if let days = days.weekdays { frequencies[name] = days }
        }
        preferences = document["preferences"] ?? .object([:])
        kindWishes = Wishes.kinds(preferences["kinds"])
        kinds = [:]
        for kind in (document["kinds"]?.list ?? []).compactMap(KindDocument.init) {
            kinds[kind.name] = kind
            if let gathering = kind.gathering, tellers[gathering] == nil { tellers[gathering] = kind.name }
        }
        hasRaisingFacts = kinds.values.contains { !$0.raisedBy.isEmpty }
        peopleKeptDays = document["retention"]?["people_after_days"]?.whole
        textsKeptDays = document["retention"]?["texts_after_days"]?.whole
        countsMessages = kinds.values.contains { $0.cause == .message }
        presets = [:]
        for preset in document["presets"]?.list ?? [] {
            if let name = preset["name"]?.text { presets[name] = preset["patch"] ?? .object([:]) }
        }
    }

    /// C1.
    private static let usualFrequencies: [String: WeekdaySet] = [
        "daily": .all, "few_times_a_week": [.mon, .wed, .fri], "weekly": .mon,
    ]
}

extension JSONTree {
    /// A list of names of days; `nil` where one is none.
    var weekdays: WeekdaySet? { texts.flatMap { try? WeekdaySet(names: $0) } }
}

extension PolicyDocument {
    /// Becomes the one after another.
    mutating func follow(_ before: PolicyDocument, at instant: Instant) {
        for kind in kinds.values {
            let isAsBefore = before.kinds[kind.name].map(kind.comesLike) == true
            scheduledSince[kind.name] = isAsBefore ? before.scheduledSince[kind.name] : instant
        }
        retired = before.retired
        for kind in before.kinds.values where kind.isGathering { retired[kind.name] = kind }
        retired = retired.filter { kinds[$0.key]?.isGathering != true }
    }

    /// A kind of this policy, or a digest or summary of one before.
    func kindOfAny(_ name: String) -> KindDocument? { kinds[name] ?? retired[name] }

    /// The digest or summary that tells what was gathered, under this policy or one before; kinds may be called otherwise by
    /// now. Where there is none nobody would tell it: it is considered anew.
    func teller(of gathering: KindDocument.Gathering?) -> KindDocument? {
        gathering.flatMap { tellers[$0] }.flatMap { kinds[$0] }
    }
}
