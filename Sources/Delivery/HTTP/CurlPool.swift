internal import CCurl
internal import Dispatch
internal import Queueing

/// What a pool can carry: a call of some protocol.
protocol PooledCall: Sendable {
    associatedtype Answer: Sendable
    associatedtype Carrier: Transfer

    func transfer() throws(HTTPFailure) -> Carrier
    /// What came of it, once libcurl says that it is done.
    static func result(_ transfer: Carrier, _ code: CURLcode) -> Result<Answer, HTTPFailure>
}

/// How much a pool does at once.
struct PoolShape {
    /// Calls under way; in a `SharedPool` at each server.
    var concurrency: Int
    /// Calls that wait behind them.
    var waitingMax: Int
    var connectionsMax: Int
}

/// Makes many calls at once, on a thread of its own that sleeps in libcurl's poll. Connections are kept for the next call.
///
/// Every call is answered exactly once, on that thread: an answer that is long thought about keeps all others waiting.
/// Bounded: so many calls under way, so many waiting behind them; the rest are refused (`busy`), on the caller's thread.
/// A pool lives until it is stopped. The process must ignore SIGPIPE.
///
/// Safe to share: everything but the inbox is touched by the pool's thread alone.
final class CurlPool<Call: PooledCall>: @unchecked Sendable {
    typealias Reply = @Sendable (Result<Call.Answer, HTTPFailure>) -> Void

    private struct Asked {
        var call: Call
        var reply: Reply
    }

    private struct Running {
        var transfer: Call.Carrier
        var reply: Reply
    }

    private typealias Inbox = PoolInbox<Asked>

    private let shape: PoolShape
    private let thread = DispatchQueue(label: "belfry.http")
    private let inbox: Inbox

    // The thread's own.
    private var multi: Inbox.Multi
    private var waiting = WaitingLine<Asked>()
    private var running: [UnsafeMutableRawPointer: Running] = [:]
    private var timeOutsInARow = 0

    /// So many time-outs in a row, and its connections are given up: a server may be gone without having closed them.
    private static var timeOutsMax: Int { 3 }

    init(_ shape: PoolShape) {
        precondition(shape.concurrency > 0 && shape.waitingMax >= 0 && shape.connectionsMax > 0, "a pool without room")
        CurlLibrary.start()
        self.shape = shape
        multi = Self.newMulti(shape)
        inbox = Inbox(multi, atMost: shape.concurrency + shape.waitingMax)
        thread.async { self.run() }
    }

    private static func newMulti(_ shape: PoolShape) -> Inbox.Multi {
        guard let multi = curl_multi_init() else { preconditionFailure("libcurl gave no handle") }
        _ = belfry_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, shape.connectionsMax)
        _ = belfry_curl_multi_set_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, shape.connectionsMax)
        return Inbox.Multi(handle: multi)
    }

    func ask(_ call: Call, reply: @escaping Reply) {
        if let refusal = inbox.ask(Asked(call: call, reply: reply)) { reply(.failure(refusal)) }
    }

    /// Gives up what is under way (`cancelled`), ends the thread and closes the connections; `done` is called when all
    /// that is over.
    func stop(_ done: @escaping @Sendable () -> Void) { inbox.stop(done) }

    // MARK: On the pool's thread

    private func run() {
        while takeAsked() {
            giveUpConnections()
            startWaiting()
            tendStreams()
            var active: Int32 = 0
            expect(curl_multi_perform(multi.handle, &active))
            answerDone()
            // What has ended makes room: only a full or an empty house may sleep.
            if waiting.isEmpty || isStale && !running.isEmpty || running.count >= shape.concurrency {
                expect(curl_multi_poll(multi.handle, nil, 0, Int32(multi.pollMs), nil))
            }
        }
        giveUp()
        let whenStopped = inbox.end()
        curl_multi_cleanup(multi.handle)
        for done in whenStopped { done() }
    }

    /// Whether to go on.
    private func takeAsked() -> Bool {
        let (asked, mayGoOn) = inbox.take()
        waiting.append(contentsOf: asked)
        return mayGoOn
    }

    private func startWaiting() {
        while !isStale, running.count < shape.concurrency, let next = waiting.popFirst() {
            do throws(HTTPFailure) {
                let transfer = try next.call.transfer()
                expect(curl_multi_add_handle(multi.handle, transfer.easy))
                running[transfer.easy] = Running(transfer: transfer, reply: next.reply)
                let number = UInt(bitPattern: transfer.easy)
                transfer.stream?.start { [inbox] in inbox.nudge(number) }
            } catch {
                answer(next.reply, .failure(error))
            }
        }
    }

    private func tendStreams() {
        for number in inbox.takeNudged() {
            // What the number belongs to now may be another call, which then says so itself.
            guard let easy = UnsafeMutableRawPointer(bitPattern: number), let one = running[easy] else { continue }
            switch one.transfer.stream?.turn() {
            case nil, .goOn: break
            case .resume: _ = belfry_curl_resume(easy)
            case .giveUp: cancel(easy, "nobody reads it")
            }
        }
    }

    private func cancel(_ easy: UnsafeMutableRawPointer, _ words: String) {
        guard let ended = running.removeValue(forKey: easy) else { return }
        var failure = HTTPFailure(.cancelled, words)
        failure.mayHaveArrived = belfry_curl_sent_something(easy) != 0
        expect(curl_multi_remove_handle(multi.handle, easy))
        ended.transfer.stream?.end(isWhole: false)
        answer(ended.reply, .failure(failure))
    }

    private func answerDone() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi.handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // Read before the handle is removed: then the message is gone.
            let code = message.pointee.data.result
            expect(curl_multi_remove_handle(multi.handle, easy))
            guard let ended = running.removeValue(forKey: easy) else { continue }
            // A call that lasts as long as it may says nothing of the next, unless none is answered any more.
            let isTimeOut = code == CURLE_OPERATION_TIMEDOUT && !ended.transfer.isTooLate(code)
            timeOutsInARow = isTimeOut ? timeOutsInARow + 1 : 0
            answer(ended.reply, Call.result(ended.transfer, code))
        }
    }

    /// Whether nothing new is begun until the connections were given up.
    private var isStale: Bool { timeOutsInARow >= Self.timeOutsMax }

    /// libcurl goes on using a connection on which calls only ever time out. Once the last of them has, all are closed.
    private func giveUpConnections() {
        guard isStale, running.isEmpty else { return }
        let fresh = Self.newMulti(shape)
        inbox.change(to: fresh)
        curl_multi_cleanup(multi.handle)
        multi = fresh
        timeOutsInARow = 0
    }

    private func giveUp() {
        let cancelled = Result<Call.Answer, HTTPFailure>.failure(HTTPFailure(.cancelled, "stopping"))
        for easy in Array(running.keys) { cancel(easy, "stopping") }
        while let asked = waiting.popFirst() { answer(asked.reply, cancelled) }
    }

    private func answer(_ reply: Reply, _ result: Result<Call.Answer, HTTPFailure>) {
        inbox.answered()
        reply(result)
    }

    /// libcurl fails here only when it is used wrongly, or memory has run out.
    private func expect(_ code: CURLMcode) {
        precondition(code == CURLM_OK, "libcurl: \(String(cString: curl_multi_strerror(code)))")
    }
}
