internal import Hashing
internal import Synchronization

/// The sinks that senders' documents name. One that is named by the document before and the one after stays open: a spool is
/// held against everybody else, its next document too.
///
/// Safe to share: under a lock.
public final class SinkRack: Sendable {
    struct Key: Hashable, Sendable {
        var spec: SinkSpec
        /// Of a webhook's secrets and of whom it trusts: others mean another sink.
        var secrets = Digest.zero
        var authority: Digest?
        /// How many calls at once.
        var calls = 0
    }

    private struct Held: Sendable {
        var sink: any Sink
        var uses: Int
        /// Whether the command line has named it, too.
        var isOthers = false
    }

    private struct State: Sendable {
        var held: [Key: Held] = [:]
        var takesSpools = true
    }

    private let state: Mutex<State>

    /// - Parameter others: sinks of the command line: a spool of theirs, and standard output, are used here where a document names the
    ///   same. Webhooks are each their own.
    public init(_ others: [(spec: SinkSpec, sink: any Sink)] = []) {
        var held: [Key: Held] = [:]
        for (spec, sink) in others { held[Key(spec: spec)] = Held(sink: sink, uses: 1, isOthers: true) }
        state = Mutex(State(held: held))
    }

    /// Opens it, unless it is open.
    func take(
        _ key: Key, open: () throws(SinkOpenError) -> any Sink
    ) throws(SinkOpenError) -> any Sink {
        let opened = state.withLock { state in
            Result { () throws(SinkOpenError) in
                if let held = state.held[key] {
                    state.held[key]?.uses += 1
                    return held.sink
                }
                if case .spool(let directory) = key.spec, !state.takesSpools { throw .late(directory) }
                let sink = try open()
                state.held[key] = Held(sink: sink, uses: 1)
                return sink
            }
        }
        return try opened.get()
    }

    /// Closes it where nobody else uses it; `done` is called when that is over. A spool is held on to: what lies in it may be
    /// about somebody who is erased later.
    func giveBack(_ key: Key, _ done: @escaping @Sendable () -> Void) {
        let idle = state.withLock { state -> (any Sink)? in
            guard let held = state.held[key] else { return nil }
            state.held[key]?.uses -= 1
            if held.uses > 1 || held.sink is SpoolSink { return nil }
            state.held[key] = nil
            return held.sink
        }
        guard let idle else { return done() }
        idle.close(done)
    }

    /// From now on a directory that is not open is not taken: of people who were erased it is cleared at a start (`E1`).
    public func takeNoMoreSpools() { state.withLock { $0.takesSpools = false } }

    /// Those that the command line does not name.
    var own: [any Sink] { state.withLock { $0.held.values.filter { !$0.isOthers }.map(\.sink) } }
}
