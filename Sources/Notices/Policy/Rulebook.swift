internal import Synchronization

/// A policy made ready for use: kinds by their place, the preferences of everyone who changed none.
///
/// Kinds that an earlier policy had and this one does not are kept behind its own, retired: what still waits of them can
/// be named and dropped (`P5`), and places given once stay good until the next policy comes.
public final class Rulebook: Sendable {
    public let policy: Policy
    /// The policy's kinds in their order, then those retired.
    public let kinds: [KindRule]
    /// How many of `kinds` are the policy's own.
    public let ownKinds: Int
    private let places: [String: Int]
    /// Before a person said yes to check-ins, and after (`S4`).
    private let defaults: (before: PreferenceFields, after: PreferenceFields)
    private let standing: (before: Preferences, after: Preferences)
    let vocabulary: Vocabulary
    /// Tells it from every other rulebook of this process.
    private let edition: UInt64
    private static let editions = Atomic<UInt64>(0)
    /// What is in force for all who store the same is one object.
    private let inForce = Remembered<Stored, Preferences>(most: 4_096)

    /// The most kinds there can be, retired ones included: a place is kept in one byte.
    public static let kindsMax = 250

    /// - Parameter previous: the rulebook until now, whose kinds are retired where the policy no longer has them. The
    ///   oldest of them are forgotten where they are more than there are places.
    public init(_ policy: Policy, retiring previous: Rulebook? = nil) {
        self.policy = policy
        let own = Array(policy.kinds.prefix(Self.kindsMax))
        let names = Set(own.map(\.name))
        let retired = (previous?.kinds ?? []).filter { !names.contains($0.name) }
        kinds = Array((own + retired).prefix(Self.kindsMax))
        ownKinds = own.count
        places = Dictionary(
            kinds.enumerated().map { ($1.name.text, $0) }, uniquingKeysWith: { first, _ in first })
        vocabulary = Vocabulary(
            policy: policy.name.text, kinds: kinds, own: own.count, places: places, choices: policy.choices)
        var layer = PreferenceLayer(over: PreferenceFields(policy, kinds: own[...]), vocabulary, policy.ranges)
        layer.lay(policy.defaults)
        let after = layer.fields
        var before = after
        if policy.checkInsAfterYes { before.checkInsEnabled = false }
        defaults = (before, after)
        let edition = Self.editions.add(1, ordering: .relaxed).newValue
        self.edition = edition
        func origin(_ fields: PreferenceFields, saidYes: Bool) -> Preferences.Origin {
            let stored = Stored(differences: .emptyObject, saidYes: saidYes)
            return Preferences.Origin(edition: edition, stored: stored, fields: fields, isSettled: true)
        }
        standing = (
            Preferences(origin(before, saidYes: false), policy, kinds: kinds, warnings: []),
            Preferences(origin(after, saidYes: true), policy, kinds: kinds, warnings: [])
        )
    }

    /// Where a kind stands, the policy's own or retired.
    public func place(of kind: String) -> Int? { places[kind] }

    public func isRetired(_ place: Int) -> Bool { place >= ownKinds }
}

// MARK: Preferences

extension Rulebook {
    /// The policy's own kinds.
    var ownRules: ArraySlice<KindRule> { kinds[..<ownKinds] }

    func defaults(saidYes: Bool) -> PreferenceFields { saidYes ? defaults.after : defaults.before }

    /// What is in force where these differences are stored, and what of them could not be read.
    func layer(_ differences: JSONValue, saidYes: Bool) -> PreferenceLayer {
        var layer = PreferenceLayer(over: defaults(saidYes: saidYes), vocabulary, policy.ranges)
        layer.lay(differences)
        return layer
    }

    /// The preferences in force for someone who changed this much; one object for all who changed nothing.
    ///
    /// Total: whatever cannot be read, or not by this policy, falls to its default and is named in `warnings` (`G6`).
    public func preferences(differing differences: JSONValue, saidYes: Bool) -> Preferences {
        guard differences != .emptyObject else { return saidYes ? standing.after : standing.before }
        let stored = Stored(differences: differences, saidYes: saidYes)
        return inForce.value(of: stored) {
            let layer = layer(differences, saidYes: saidYes)
            let isSettled =
                layer.notes.isEmpty && differences.withoutExcessSettings == differences
                && layer.fields.differences(from: defaults(saidYes: saidYes), ownRules) == differences
            let origin = Preferences.Origin(
                edition: edition, stored: stored, fields: layer.fields, isSettled: isSettled)
            let warnings = layer.notes.filter { $0.cause != .retired }.map(\.error)
            return Preferences(origin, policy, kinds: kinds, warnings: warnings)
        }
    }

    /// Whether these are the preferences that a document leads to, all of which could be read and is as it would be stored
    /// again. What of it a change leaves alone then needs no second look.
    func isSettled(_ preferences: Preferences, on stored: Stored) -> Bool {
        preferences.origin.isSettled && preferences.origin.edition == edition && preferences.origin.stored == stored
    }

    /// The preferences of a document that is settled and was read already.
    func preferences(settled stored: Stored, _ fields: PreferenceFields) -> Preferences {
        guard stored.differences != .emptyObject else { return stored.saidYes ? standing.after : standing.before }
        return inForce.value(of: stored) {
            let origin = Preferences.Origin(edition: edition, stored: stored, fields: fields, isSettled: true)
            return Preferences(origin, policy, kinds: kinds, warnings: [])
        }
    }

    /// The whole document in force, in the order of SPEC §3.
    public func document(differing differences: JSONValue, saidYes: Bool, timezone: String) -> JSONValue {
        layer(differences, saidYes: saidYes).fields.document(ownRules, timezone: timezone)
    }
}
