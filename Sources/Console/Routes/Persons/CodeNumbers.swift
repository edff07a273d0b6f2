internal import CivilTime
internal import Notices
internal import Synchronization

/// How many codes each number was sent through this worker's door, whoever asked for them (`G11`): many people together
/// must not have a stranger's phone ring all day.
///
/// The log bounds what one person asks for. What many ask for about one number it could only say by searching everybody's
/// facts for a number that is sealed there, so it is remembered in memory, for a day at most and until a restart.
public final class CodeNumbers: Sendable {
    private struct Asked {
        var at: Instant
        /// Of the id of the fact, where it has one.
        var id: Int?
    }

    /// By a hash that no other process computes alike: no number outlives its request here.
    private let asked = Mutex<[Int: [Asked]]>([:])
    private let numbersMax: Int

    public convenience init() { self.init(numbersMax: 65_536) }

    /// - Parameter numbersMax: of how many numbers it is remembered; beyond, those that were asked for longest ago are forgotten.
    init(numbersMax: Int) { self.numbersMax = numbersMax }

    /// Whether the fact of this id was counted: told again, it is a duplicate and brings no other code.
    func hasCounted(_ id: String?, for phone: String) -> Bool {
        guard let id = id?.hashValue else { return false }
        return asked.withLock { $0[phone.hashValue]?.contains { $0.id == id } ?? false }
    }

    /// Counts a code for a number. Returns from when on one may be asked for, where there were too many.
    func take(_ phone: String, for id: String? = nil, at now: Instant) -> Instant? {
        asked.withLock { asked in
            let key = phone.hashValue
            let before = asked[key, default: []]
            if let opens = Allowance.codes.opens(after: before.map(\.at), at: now) { return opens }
            if asked[key] == nil, asked.count >= numbersMax { Self.forget(&asked, at: now) }
            asked[key] = before.suffix(Allowance.codes.daily - 1) + [Asked(at: now, id: id?.hashValue)]
            return nil
        }
    }

    /// The code that was counted last was not asked for after all.
    func giveBack(_ phone: String, at now: Instant) {
        asked.withLock { asked in
            let key = phone.hashValue
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
