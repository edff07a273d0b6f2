internal import CCurl
internal import Synchronization

/// What a pool was asked and has not taken yet, and how its thread is woken: all of a pool that other threads touch.
///
/// libcurl's thread sleeps in its poll, and `curl_multi_wakeup`, which any thread may call, is called under the lock that also
/// guards the handle's end.
final class PoolInbox<Asked: Sendable>: Sendable {
    private enum Phase { case open, stopping, gone }

    /// libcurl's handle for many calls. Safe to pass on: others use it only to wake its thread.
    struct Multi: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
        /// How long its thread may sleep. Where descriptors were short as it was made nobody can wake it, and it looks by itself.
        let pollMs: Int64

        init(handle: UnsafeMutableRawPointer) {
            self.handle = handle
            pollMs = curl_multi_wakeup(handle) == CURLM_OK ? 60_000 : 100
        }
    }

    private struct State {
        var multi: Multi
        var asked: [Asked] = []
        /// Handles of calls whose readers have made room, or have gone.
        var nudged: [UInt] = []
        /// Taken and not yet answered.
        var unanswered = 0
        var phase = Phase.open
        var whenStopped: [@Sendable () -> Void] = []
    }

    private let most: Int
    private let state: Mutex<State>

    /// - Parameter most: calls that may be asked and not answered.
    init(_ multi: Multi, atMost most: Int) {
        self.most = most
        state = Mutex(State(multi: multi))
    }

    // MARK: On any thread

    /// Why it is not taken, if it is not.
    func ask(_ asked: Asked) -> HTTPFailure? {
        state.withLock { state in
            guard state.phase == .open else { return HTTPFailure(.cancelled, "stopping") }
            guard state.unanswered < most else { return HTTPFailure(.busy, "\(state.unanswered) calls") }
            state.unanswered += 1
            state.asked.append(asked)
            curl_multi_wakeup(state.multi.handle)
            return nil
        }
    }

    /// A call's reader has room again, or has gone.
    func nudge(_ number: UInt) {
        state.withLock { state in
            guard state.phase == .open else { return }
            state.nudged.append(number)
            curl_multi_wakeup(state.multi.handle)
        }
    }

    func stop(_ done: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            guard state.phase != .gone else { return true }
            state.phase = .stopping
            state.whenStopped.append(done)
            curl_multi_wakeup(state.multi.handle)
            return false
        }
        if isGone { done() }
    }

    /// One that was taken has its answer.
    func answered() { state.withLock { $0.unanswered -= 1 } }

    // MARK: On the pool's thread

    /// What was asked since, in order, and whether to go on.
    func take() -> (asked: [Asked], mayGoOn: Bool) {
        state.withLock { state in
            defer { state.asked = [] }
            return (state.asked, state.phase == .open)
        }
    }

    func takeNudged() -> [UInt] {
        state.withLock { state in
            defer { state.nudged = [] }
            return state.nudged
        }
    }

    /// Wakes another handle's poll from now on, and once at once: who asked in between has woken the one that goes.
    func change(to multi: Multi) {
        state.withLock { $0.multi = multi }
        curl_multi_wakeup(multi.handle)
    }

    /// Nothing is taken any more, and the handle may end. Whom to tell.
    func end() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.phase = .gone
            defer { state.whenStopped = [] }
            return state.whenStopped
        }
    }
}
