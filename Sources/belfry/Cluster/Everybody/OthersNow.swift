import Notices
import Synchronization

/// How the other workers stood when they were last heard: asked once a second, and only while somebody looks. Whoever looks
/// waits for nobody.
final class OthersNow: Sendable {
    private struct Heard: Sendable {
        var part: NowPart
        var at: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var heard: [String: Heard] = [:]
        var askedAt: ContinuousClock.Instant?
    }

    private let neighbours: Neighbours
    private let state = Mutex(State())

    private static let interval = Duration.seconds(1)
    /// Who was not heard for so long is not told of.
    private static let patience = Duration.seconds(10)

    init(_ neighbours: Neighbours) { self.neighbours = neighbours }

    /// As they were last heard. Has them asked again where that was a while ago.
    var parts: [NowPart] {
        let (now, others) = (ContinuousClock.now, Set(neighbours.others))
        let (mustAsk, heard) = state.withLock { state in
            let mustAsk = state.askedAt.map { now - $0 >= Self.interval } ?? true
            if mustAsk { state.askedAt = now }
            state.heard = state.heard.filter { others.contains($0.key) && now - $0.value.at < Self.patience }
            return (mustAsk, state.heard.sorted { $0.key < $1.key }.map(\.value.part))
        }
        if mustAsk { for url in others { ask(url) } }
        return heard
    }

    private func ask(_ url: String) {
        let question = NowParts()
        neighbours.ask(question.document(of: []), of: url) { [self] answer in
            guard let part = try? answer.get(), let part = question.part(part) else { return }
            state.withLock { $0.heard[url] = Heard(part: part, at: .now) }
        }
    }
}
