import Notices
import Worker

/// The facts of one request, dealt out over partitions: hands that are given one after the other, each to all of its logs at once.
///
/// A fact about everyone is a hand of its own, so that what was told before it is decided before it, and what comes behind it after.
struct Deal {
    enum Hand: Sendable {
        /// The indices of the facts for each log, and about their bytes.
        case people([Part])
        case everyone(Int)
    }

    struct Part: Sendable {
        var log: Int
        var facts: [Fact]
        /// Where each stands in the request.
        var indices: [Int]
        var bytes: Int
    }

    private(set) var hands: [Hand] = []
    /// Facts that nobody is given, and why.
    private(set) var refused: [(index: Int, problem: FieldError)] = []
    /// Of the first fact about everyone that has one.
    private var partingOfEveryone: FieldError?
    private let count: Int

    /// Copies of facts about everyone have such ids, and no other fact.
    static let copyPrefix = "everyone:"

    init(_ facts: [Fact], bytes: Int, isOwn: Bool, place: (String) -> Int) {
        count = facts.count
        let share = bytes / max(1, facts.count) + 1
        var parts: [Part] = []
        var places: [Int: Int] = [:]
        for (index, fact) in facts.enumerated() {
            if !isOwn, let id = fact.id, id.hasPrefix(Self.copyPrefix) {
                refused.append(
                    (index, FieldError(path: "id", "ids that begin with \(Self.copyPrefix) are Belfry's own")))
                continue
            }
            guard let user = fact.user else {
                if !parts.isEmpty { hands.append(.people(parts)) }
                (parts, places) = ([], [:])
                hands.append(.everyone(index))
                partingOfEveryone = partingOfEveryone ?? fact.partingProblem(amongFacts: facts.count)
                continue
            }
            let log = place(user)
            if places[log] == nil {
                places[log] = parts.count
                parts.append(Part(log: log, facts: [], indices: [], bytes: 0))
            }
            guard let part = places[log] else { continue }
            parts[part].facts.append(fact)
            parts[part].indices.append(index)
            parts[part].bytes += share
        }
        if !parts.isEmpty { hands.append(.people(parts)) }
    }

    /// Why the request cannot be taken whole or not at all.
    var partingProblem: FieldError? {
        var logs: Set<Int> = []
        for case .people(let parts) in hands { logs.formUnion(parts.map(\.log)) }
        if let partingOfEveryone { return partingOfEveryone }
        guard logs.count > 1 else { return nil }
        let told = logs.sorted().prefix(8).map(String.init).joined(separator: ", ")
        return FieldError(
            "all or nothing holds within one partition, and these facts are about people of partitions \(told)\(logs.count > 8 ? " and more" : ""); send those of each by themselves"
        )
    }

    /// What is said where one fact is refused already, and it is all or nothing.
    var withheld: [FactReceipt] {
        var receipts = [FactReceipt](repeating: .leftOut, count: count)
        for (index, problem) in refused { receipts[index] = .refused(problem) }
        return receipts
    }

    /// What each log has to have room for.
    var rooms: [(log: Int, bytes: Int)] {
        var rooms: [Int: Int] = [:]
        for case .people(let parts) in hands { for part in parts { rooms[part.log, default: 0] += part.bytes } }
        return rooms.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
