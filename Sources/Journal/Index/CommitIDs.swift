internal import Notices

/// The fact ids of the commits that were asked about last, so that a batch sent again costs one reading of each commit
/// and not one of each fact.
struct CommitIDs {
    /// What is remembered in all, at about 100 bytes each.
    private static let idsMax = 1 << 18

    private var seqs: [UInt64: [String: UInt64]] = [:]
    /// Positions, the one remembered first in front.
    private var order: [UInt64] = []
    private var count = 0

    func holds(_ position: UInt64) -> Bool { seqs[position] != nil }

    func seq(of id: String, at position: UInt64) -> UInt64? { seqs[position]?[id] }

    mutating func remember(_ frame: Frame) {
        var found: [String: UInt64] = [:]
        var body = CommitBody(frame)
        while let item = try? body.next() {
            if case .event(let event) = item, let id = try? event.idText() { found[id] = event.seq }
        }
        while count + found.count > Self.idsMax, !order.isEmpty {
            count -= seqs.removeValue(forKey: order.removeFirst())?.count ?? 0
        }
        seqs[frame.position] = found
        order.append(frame.position)
        count += found.count
    }
}
