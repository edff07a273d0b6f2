import Console
import Delivery
import Dispatch
import Notices
import Queueing

/// An erasure, as the other workers of a cluster hear of it.
extension Neighbours {
    /// What came of it at the others.
    struct Told: Sendable {
        /// Those that could not be told, or could not do it.
        var unreached: [String] = []
        /// What was removed there, in phrases.
        var removed: [String] = []
    }

    /// Has all others let go of people.
    func erase(_ order: EraseOrder, _ done: @escaping @Sendable (Told) -> Void) {
        tellAll("erase", order.document, done)
    }

    /// Has one other let go of people, and waits on no thread for that.
    func erase(_ order: EraseOrder, at url: String, _ done: @escaping @Sendable (_ isDone: Bool) -> Void) {
        leaving.ask(call(url, "erase", order.document)) { result in
            let answer = try? result.get()
            done(answer?.status == 200)
        }
    }

    /// Has all others revoke tokens of a person, one or all, which are revoked here. Whoever lives is looked up first: one that has come
    /// since the last look may have been told already that there is nothing more.
    ///
    /// - Parameter done: is told which of them could not, and whether it could be looked who lives.
    func revoke(
        _ user: String, _ id: String?, _ done: @escaping @Sendable (_ unreached: [String], _ areAllSeen: Bool) -> Void
    ) {
        let order = JSONValue.object([.init("user", .string(user))] + (id.map { [.init("id", .string($0))] } ?? []))
        looks.whenLookedAnew(within: Self.lookPatience) { [self] isSeen in
            tellAll("revoke", order) { done($0.unreached, isSeen) }
        }
        wantEveryone()
    }

    /// The membership may be taking a partition.
    private static let lookPatience = DispatchTimeInterval.seconds(3)

    private func tellAll(_ word: String, _ order: JSONValue, _ done: @escaping @Sendable (Told) -> Void) {
        let others = others
        let gathering = Gathering<Told>(others.count, whole: Told()) { done($0 ?? Told()) }
        for url in others {
            let isTaken = lanes.take(to: url) { [self] in
                let answer = try? HTTPClient().ask(call(url, word, order))
                gathering.add { told in
                    guard let answer, answer.status == 200 else { return told.unreached.append(url) }
                    let removed = JSONValue(parsing: answer.text)?["removed"]?.elements?.compactMap(\.string) ?? []
                    told.removed += removed.map { "\($0), at \(url)" }
                }
            }
            if !isTaken { gathering.add { $0.unreached.append(url) } }
        }
    }

    func call(_ url: String, _ word: String, _ order: JSONValue, answerBytesMax: Int = 1 << 16) -> HTTPCall {
        HTTPCall(
            .post, url + "/v1/cluster/\(word)", headers: [("Content-Type", "application/json")] + own,
            body: Array(order.text.utf8), patience: .init(connectMs: 2000, totalMs: 10_000),
            answerBytesMax: answerBytesMax)
    }
}
