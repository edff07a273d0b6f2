import CivilTime
import Delivery
import Foundation

/// Tells a worker facts, batch after batch, and sends each again until it is acknowledged.
///
/// Safe to share: one thread at a time uses it.
final class ChaosSender: @unchecked Sendable {
    /// The number of each fact that was acknowledged, by its id.
    private(set) var told: [String: UInt64] = [:]
    private(set) var refused = 0
    private(set) var problems: [String] = []
    private var facts: ChaosFacts
    /// Sent, perhaps, and not acknowledged.
    private var batch: [String] = []

    private struct Answer: Decodable {
        struct Line: Decodable {
            var seq: UInt64?
            var duplicate_of: UInt64?
            var refused: String?
        }
        var results: [Line]
    }

    init(_ facts: ChaosFacts) { self.facts = facts }

    /// Goes on until the worker has ended, or everything was said.
    func tell(_ door: WorkerDoor, batches: Int, while isAlive: () -> Bool) {
        var left = batches
        while left > 0, isAlive() {
            if batch.isEmpty { batch = facts.next(at: Self.now) }
            guard let answer = door.append(batch.joined()), answer.status == 200 || answer.status == 400 else {
                // It has not begun to listen, or does not any more.
                poll(nil, 0, 1)
                continue
            }
            take(answer)
            left -= 1
        }
    }

    private func take(_ answer: HTTPAnswer) {
        guard let results = try? JSONDecoder().decode(Answer.self, from: Data(answer.body)).results,
            results.count == batch.count
        else { return problems.append("no answer to \(batch.count) facts: \(answer.text)") }
        for (line, result) in zip(batch, results) {
            guard let seq = result.seq ?? result.duplicate_of else {
                refused += 1
                continue
            }
            guard let id = line.firstMatch(of: #/"id":"([^"]+)"/#)?.1 else { continue }
            told[String(id)] = seq
            facts.acknowledged(line, seq: seq)
        }
        batch = []
    }

    static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
