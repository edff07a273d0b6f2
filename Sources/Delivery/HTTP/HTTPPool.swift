internal import CCurl
internal import Dispatch
internal import Queueing
internal import Synchronization

/// Asks many servers at once, on a thread of its own that sleeps in libcurl's poll. Connections are kept for the next call.
///
/// Every call is answered exactly once, on that thread: an answer that is long thought about keeps all others waiting.
/// Bounded: so many calls under way, so many waiting behind them; the rest are refused (`busy`), on the caller's thread.
/// A pool lives until it is stopped. The process must ignore SIGPIPE.
///
/// Safe to share: the inbox is under its lock, everything else is touched by the pool's thread alone, and
/// `curl_multi_wakeup`, which any thread may call, is called under the lock that also guards the end.
public final class HTTPPool: @unchecked Sendable {
    public typealias Reply = @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void

    private struct Asked {
        var call: HTTPCall
        var reply: Reply
    }

    private struct Running {
        var transfer: Transfer
        var reply: Reply
    }

    private enum Phase { case open, stopping, gone }

    private struct Inbox {
        var asked: [Asked] = []
        /// Taken and not yet answered.
        var unanswered = 0
        var phase = Phase.open
        var whenStopped: [@Sendable () -> Void] = []
    }

    private let concurrency: Int
    private let waitingMax: Int
    private let multi: UnsafeMutableRawPointer
    private let thread = DispatchQueue(label: "belfry.http")
    private let inbox = Mutex(Inbox())

    // The thread's own.
    private var waiting = WaitingLine<Asked>()
    private var running: [UnsafeMutableRawPointer: Running] = [:]

    /// How long the thread sleeps when nothing happens; a call or a stop wakes it at once.
    private static let pollMs: Int32 = 60_000

    public init(concurrency: Int, waitingMax: Int) {
        precondition(concurrency > 0 && waitingMax >= 0, "a pool without room")
        CurlLibrary.start()
        guard let multi = curl_multi_init() else { preconditionFailure("libcurl gave no handle") }
        self.multi = multi
        self.concurrency = concurrency
        self.waitingMax = waitingMax
        _ = belfry_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, concurrency)
        _ = belfry_curl_multi_set_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, concurrency)
        thread.async { self.run() }
    }

    public func ask(_ call: HTTPCall, reply: @escaping Reply) {
        let refusal = inbox.withLock { inbox -> HTTPFailure? in
            guard inbox.phase == .open else { return HTTPFailure(.cancelled, "stopping") }
            guard inbox.unanswered < concurrency + waitingMax else {
                return HTTPFailure(.busy, "\(inbox.unanswered) calls")
            }
            inbox.unanswered += 1
            inbox.asked.append(Asked(call: call, reply: reply))
            curl_multi_wakeup(multi)
            return nil
        }
        if let refusal { reply(.failure(refusal)) }
    }

    /// Gives up what is under way (`cancelled`), ends the thread and closes the connections; `done` is called when all
    /// that is over.
    public func stop(_ done: @escaping @Sendable () -> Void) {
        let isGone = inbox.withLock { inbox in
            guard inbox.phase != .gone else { return true }
            inbox.phase = .stopping
            inbox.whenStopped.append(done)
            curl_multi_wakeup(multi)
            return false
        }
        if isGone { done() }
    }

    // MARK: On the pool's thread

    private func run() {
        while takeAsked() {
            startWaiting()
            var active: Int32 = 0
            expect(curl_multi_perform(multi, &active))
            answerDone()
            // What has ended makes room: only a full or an empty house may sleep.
            if waiting.isEmpty || running.count >= concurrency {
                expect(curl_multi_poll(multi, nil, 0, Self.pollMs, nil))
            }
        }
        giveUp()
        let whenStopped = inbox.withLock { inbox in
            inbox.phase = .gone
            defer { inbox.whenStopped = [] }
            return inbox.whenStopped
        }
        curl_multi_cleanup(multi)
        for done in whenStopped { done() }
    }

    /// Whether to go on.
    private func takeAsked() -> Bool {
        inbox.withLock { inbox in
            waiting.append(contentsOf: inbox.asked)
            inbox.asked.removeAll(keepingCapacity: true)
            return inbox.phase == .open
        }
    }

    private func startWaiting() {
        while running.count < concurrency, let next = waiting.popFirst() {
            do throws(HTTPFailure) {
                let transfer = try Transfer(next.call)
                expect(curl_multi_add_handle(multi, transfer.easy))
                running[transfer.easy] = Running(transfer: transfer, reply: next.reply)
            } catch {
                answer(next.reply, .failure(error))
            }
        }
    }

    private func answerDone() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // Read before the handle is removed: then the message is gone.
            let code = message.pointee.data.result
            expect(curl_multi_remove_handle(multi, easy))
            guard let ended = running.removeValue(forKey: easy) else { continue }
            answer(ended.reply, ended.transfer.result(code))
        }
    }

    private func giveUp() {
        let cancelled = Result<HTTPAnswer, HTTPFailure>.failure(HTTPFailure(.cancelled, "stopping"))
        for (easy, ended) in running {
            expect(curl_multi_remove_handle(multi, easy))
            answer(ended.reply, cancelled)
        }
        running = [:]
        while let asked = waiting.popFirst() { answer(asked.reply, cancelled) }
    }

    private func answer(_ reply: Reply, _ result: Result<HTTPAnswer, HTTPFailure>) {
        inbox.withLock { $0.unanswered -= 1 }
        reply(result)
    }

    /// libcurl fails here only when it is used wrongly, or memory has run out.
    private func expect(_ code: CURLMcode) {
        precondition(code == CURLM_OK, "libcurl: \(String(cString: curl_multi_strerror(code)))")
    }
}
