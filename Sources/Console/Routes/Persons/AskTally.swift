internal import CivilTime
public import Notices
internal import Synchronization

/// How often each was asked for lately through this worker's door, where a call is paid for (`G11`): codes by the number that they
/// go to, whoever asks, since many people together must not have a stranger's phone ring all day; test runs by their person.
///
/// The log bounds what one person asks for. What many ask for about one number it could only say by searching everybody's
/// facts for a number that is sealed there, and of test runs it knows nothing. So it is remembered in memory, for a day at most and
/// until a restart.
public final class AskTally: Sendable {
    private struct Asked {
        var at: Instant
        /// Of the id of the fact, where it has one.
        var id: Int?
    }

    private let allowance: Allowance
    /// By a hash that no other process computes alike: no number outlives its request here.
    private let asked = Mutex<[Int: [Asked]]>([:])
    private let keysMax: Int

    public convenience init(_ allowance: Allowance) { self.init(allowance, keysMax: 65_536) }

    /// - Parameter keysMax: of how many it is remembered; beyond, those that were asked for longest ago are forgotten.
    init(_ allowance: Allowance, keysMax: Int) { (self.allowance, self.keysMax) = (allowance, keysMax) }

    /// Whether the fact of this id was counted: told again, it is a duplicate and brings no other code.
    func hasCounted(_ id: String?, for key: String) -> Bool {
        guard let id = id?.hashValue else { return false }
        return asked.withLock { $0[key.hashValue]?.contains { $0.id == id } ?? false }
    }

    /// Counts one. Returns from when on it may be asked for, where it was too often.
    func take(_ key: String, for id: String? = nil, at now: Instant) -> Instant? {
        asked.withLock { asked in
            let key = key.hashValue
            let before = asked[key, default: []]
            if let opens = allowance.opens(after: before.map(\.at), at: now) { return opens }
            if asked[key] == nil, asked.count >= keysMax { Self.forget(&asked, at: now) }
            asked[key] = before.suffix(allowance.daily - 1) + [Asked(at: now, id: id?.hashValue)]
            return nil
        }
    }

    /// What was counted then was not asked for after all.
    func giveBack(_ key: String, at now: Instant) {
        asked.withLock { asked in
            let key = key.hashValue
            guard let place = asked[key]?.lastIndex(where: { $0.at == now }) else { return }
            asked[key]?.remove(at: place)
            if asked[key]?.isEmpty == true { asked[key] = nil }
        }
    }

    /// All of yesterday, or else the older half, so that it is done seldom.
    private static func forget(_ asked: inout [Int: [Asked]], at now: Instant) {
        let count = asked.count
        let dayAgo = now.advanced(byDays: -1)
        asked = asked.filter { $0.value.last.map { $0.at > dayAgo } ?? false }
        guard asked.count > count / 2 else { return }
        let latest = asked.values.compactMap(\.last?.at).sorted()
        let middle = latest[latest.count / 2]
        asked = asked.filter { $0.value.last.map { $0.at >= middle } ?? false }
        // All within one millisecond.
        if asked.count == count { asked = [:] }
    }
}
