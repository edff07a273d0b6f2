import Delivery
import Notices

/// A place in one log of several, as one number: what delivery keeps of a job, and hands back when it wants to read it.
///
/// The upper bits say which partition, from 1; a place in a log by itself stays as it is.
enum TownPlace {
    private static let shift: UInt64 = 48

    static func outer(_ inner: UInt64, in partition: Int?) -> UInt64 {
        partition.map { UInt64($0 + 1) << shift | inner } ?? inner
    }

    static let all = 0..<UInt64.max

    /// All that a partition has.
    static func places(in partition: Int) -> Range<UInt64> {
        outer(0, in: partition)..<outer(0, in: partition + 1)
    }

    /// The log's index among those with people, and the place in it.
    static func inner(_ outer: UInt64) -> (log: Int, place: UInt64) {
        let partition = Int(outer >> shift)
        return partition == 0 ? (0, outer) : (partition - 1, outer & (1 << shift - 1))
    }

    /// What is said about a job, with its place as people know it.
    static func readable(_ fields: [(String, String)]) -> [(String, String)] {
        var partition: Int?
        let told = fields.map { name, text in
            guard name.hasSuffix("seq") || name == "position", let outer = UInt64(text), outer >> shift > 0 else {
                return (name, text)
            }
            let found = inner(outer)
            partition = found.log
            return (name, "\(found.place)")
        }
        return (partition.map { [("partition", "\($0)")] } ?? []) + told
    }
}
