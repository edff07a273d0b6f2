import CivilTime
import Foundation

/// What a storm is told on its command line.
struct Orders: Sendable {
    /// How long a client goes on.
    enum Amount: Sendable {
        case facts(Int)
        case until(Instant)
    }

    static let usage = """
        usage: storm DIR CLIENTS FACTS|SECONDSs [SEGMENT_BYTES]
        FACTS is what each client tells; with an s behind it, a number of seconds.
        """

    let directory: String
    let clients: Int
    let amount: Amount
    let segmentBytes: Int
    /// In front of every id, so that no two storms share any.
    let name: String

    init?(_ words: some Collection<String>) {
        let words = Array(words)
        guard words.count == 3 || words.count == 4, let clients = Int(words[1]), clients > 0 else { return nil }
        directory = words[0]
        self.clients = clients
        let start = Storm.now
        if words[2].hasSuffix("s"), let seconds = Int64(words[2].dropLast()) {
            amount = .until(Instant(milliseconds: start.milliseconds + seconds * 1000))
        } else if let facts = Int(words[2]) {
            amount = .facts(facts)
        } else {
            return nil
        }
        guard let segmentBytes = words.count == 4 ? Int(words[3]) : 128 << 20 else { return nil }
        self.segmentBytes = segmentBytes
        name = "\(getpid())-\(start.milliseconds)"
    }
}
