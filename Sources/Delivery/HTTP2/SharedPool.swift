internal import CCurl
internal import Dispatch
internal import Queueing

/// Asks servers of HTTP/2, many calls over few connections, on a thread of its own.
///
/// libcurl opens the connections and would carry the calls as well. But it breaks off every stream whose end comes behind the
/// last byte, or whose length is not said (7.88): servers hang up on whoever does so a thousand times, and the calls under way
/// then wait for their time-out. So frames are nghttp2's affair here. A server that speaks no HTTP/2 is asked by libcurl.
///
/// Every call is answered exactly once, on that thread or another pool's: an answer that is long thought about keeps all others
/// waiting. Bounded: so many calls under way at each server, so many asked and not answered in all; the rest are refused
/// (`busy`), on the caller's thread. A pool lives until it is stopped. The process must ignore SIGPIPE.
///
/// Safe to share: everything but the inbox is touched by the pool's thread alone.
final class SharedPool: CallPool, @unchecked Sendable {
    private struct Asked {
        var call: HTTPCall
        var reply: HTTPPool.Reply
    }

    private typealias Inbox = PoolInbox<Asked>

    private let shape: PoolShape
    private let thread = DispatchQueue(label: "belfry.http2")
    private let inbox: Inbox

    // The thread's own.
    private let multi: Inbox.Multi
    private var hosts: [SharedPlace: SharedHost] = [:]
    /// For servers that speak no HTTP/2, by origin. Each has a pool, so that none waits for another (`N5`); beyond `plainMax`
    /// they share that of "".
    private var plain: [String: HTTPPool] = [:]
    private var now = ContinuousClock.now
    /// When a call may have lasted too long.
    private var nextDue: ContinuousClock.Instant?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    private static let hostsMax = 256
    /// A server that spoke no HTTP/2 is asked again whether it does.
    private static let plainFor = Duration.seconds(600)
    /// Pools have threads, and clients name whom pushes to browsers go to.
    private static let plainMax = 8
    /// There each call takes a connection.
    private static let plainConnectionsMax = 16

    init(_ shape: PoolShape) {
        precondition(shape.concurrency > 0 && shape.waitingMax >= 0 && shape.connectionsMax > 0, "a pool without room")
        CurlLibrary.start()
        self.shape = shape
        guard let handle = curl_multi_init() else { preconditionFailure("libcurl gave no handle") }
        multi = Inbox.Multi(handle: handle)
        inbox = Inbox(multi, atMost: shape.concurrency + shape.waitingMax)
        thread.async { self.run() }
    }

    deinit { buffer.deallocate() }

    func ask(_ call: HTTPCall, reply: @escaping HTTPPool.Reply) {
        if let refusal = inbox.ask(Asked(call: call, reply: reply)) { reply(.failure(refusal)) }
    }

    /// Gives up what is under way (`cancelled`), ends the thread and closes the connections; `done` is called when all
    /// that is over.
    func stop(_ done: @escaping @Sendable () -> Void) { inbox.stop(done) }
}

// On the pool's thread.
extension SharedPool {
    private func run() {
        while takeAsked() {
            expire()
            var active: Int32 = 0
            expect(curl_multi_perform(multi.handle, &active))
            takeOpened()
            hosts.values.forEach(tidy)
            // Whoever has waited longest begins first. Nothing that may take its time stands between this and the sending.
            for host in hosts.values.filter({ !$0.waiting.isEmpty }).sorted(by: SharedHost.hasWaitedLonger) {
                begin(host)
            }
            wait(atMost: send() ? sleepMs : 0)
        }
        end()
    }

    /// Whether nothing has changed by it: no connection has ended, and no call has made room or begins anew.
    private func send() -> Bool {
        let before = underWay
        var isQuiet = true
        for host in hosts.values {
            for connection in host.connections {
                let mustWait = connection.mustWait
                if !connection.send() {
                    lose(connection, of: host)
                    isQuiet = false
                }
                if mustWait, !connection.mustWait { isQuiet = false }
                isQuiet = !takeLeftBehind(connection, host) && isQuiet
            }
        }
        return isQuiet && underWay == before
    }

    /// Calls that begin anew on another connection; whether there are any.
    private func takeLeftBehind(_ connection: SharedConnection, _ host: SharedHost) -> Bool {
        let calls = connection.takeLeftBehind()
        for call in calls { look(at: call) }
        host.waiting.append(contentsOf: calls)
        return !calls.isEmpty
    }

    /// Whether to go on.
    private func takeAsked() -> Bool {
        let (asked, mayGoOn) = inbox.take()
        now = .now
        for one in asked {
            guard let (place, path) = SharedPlace.of(one.call) else {
                pass(one.call, one.reply)
                continue
            }
            let host = hosts[place] ?? SharedHost(place)
            hosts[place] = host
            guard !host.isPlain(at: now) else {
                pass(one.call, one.reply)
                continue
            }
            let call = SharedCall(one.call, path, at: now) { [inbox] result in
                inbox.answered()
                one.reply(result)
            }
            // Nothing is opened for one that comes too late.
            guard call.isInTime() else { continue }
            host.waiting.append(call)
            look(at: call)
        }
        return mayGoOn
    }

    /// To the pool for servers that speak no HTTP/2.
    private func pass(_ call: HTTPCall, _ reply: @escaping HTTPPool.Reply) {
        plainPool(for: call).ask(call) { [inbox] result in
            inbox.answered()
            reply(result)
        }
    }

    private func plainPool(for call: HTTPCall) -> HTTPPool {
        var origin = HTTPAddress(call.url)?.origin ?? ""
        if plain[origin] == nil, plain.count >= Self.plainMax { origin = "" }
        if let known = plain[origin] { return known }
        let pool = HTTPPool(
            PoolShape(
                concurrency: shape.concurrency, waitingMax: shape.waitingMax,
                connectionsMax: min(shape.connectionsMax, Self.plainConnectionsMax)))
        plain[origin] = pool
        return pool
    }

    private var underWay: Int { hosts.values.reduce(0) { $0 + $1.underWay } }

    /// Closes what is of no more use.
    private func tidy(_ host: SharedHost) {
        host.dropAnswered()
        let isWaitedFor = !host.waiting.isEmpty
        for connection in host.connections
        where connection.isIdle
            && (connection.isLeaving || connection.isMute(at: now) || isWaitedFor && connection.isStale(at: now))
        {
            close(connection, of: host)
            if !connection.hasBegunAny {
                host.failWhereUnreached(HTTPFailure(.broken, "the server went away, or said nothing"))
            }
        }
        // Clients name whom pushes to browsers go to: nobody is remembered for that alone.
        if hosts.count > Self.hostsMax, host.isForgotten { hosts[host.place] = nil }
    }

    /// Gives what waits for a host to its connections, and opens one more where they are full.
    private func begin(_ host: SharedHost) {
        // Counted for each server: one that hangs keeps no other waiting (`N5`).
        var free = shape.concurrency - host.underWay
        while free > 0, let connection = host.connections.first(where: { $0.room > 0 }),
            let call = host.waiting.popFirst()
        {
            guard call.mayBegin() else { continue }
            connection.begin(call, to: host.place, at: now)
            free -= 1
        }
        if free > 0, let first = host.waiting.first, host.mayOpen, hasRoomForConnection() {
            open(host, connectMs: first.call.patience.connectMs)
        }
    }

    /// Where there are too many, one that nobody uses goes.
    private func hasRoomForConnection() -> Bool {
        let count = hosts.values.reduce(0) { $0 + $1.connections.count + ($1.opening == nil ? 0 : 1) }
        if count < shape.connectionsMax { return true }
        for host in hosts.values where host.waiting.isEmpty {
            guard let idle = host.connections.first(where: \.isIdle) else { continue }
            close(idle, of: host)
            return true
        }
        return false
    }

    private func open(_ host: SharedHost, connectMs: Int) {
        do throws(HTTPFailure) {
            let opening = try Opening(host.place, connectMs: connectMs)
            expect(curl_multi_add_handle(multi.handle, opening.easy))
            host.opening = opening
        } catch {
            becomePlain(host)
        }
    }

    private func takeOpened() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi.handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let host = hosts.values.first(where: { $0.opening?.easy == easy }), let opening = host.opening
            else { continue }
            host.opening = nil
            let code = message.pointee.data.result
            guard code == CURLE_OK else {
                expect(curl_multi_remove_handle(multi.handle, easy))
                if code == CURLE_UNSUPPORTED_PROTOCOL {
                    becomePlain(host)
                    continue
                }
                host.failWhereUnreached(opening.failure(code))
                continue
            }
            if opening.speaksHTTP2, let connection = SharedConnection(opening, at: now) {
                host.connections.append(connection)
                continue
            }
            expect(curl_multi_remove_handle(multi.handle, easy))
            guard !opening.speaksHTTP2 else {
                host.failWhereUnreached(HTTPFailure(.broken, "the connection was closed"))
                continue
            }
            becomePlain(host)
        }
    }

    /// It speaks no HTTP/2, or nobody here can ask it whether it does.
    private func becomePlain(_ host: SharedHost) {
        host.plainUntil = now + Self.plainFor
        while let call = host.waiting.popFirst() { call.pass(to: plainPool(for: call.call)) }
    }

    /// Answers whoever has waited as long as they may.
    private func expire() {
        guard let nextDue, nextDue <= now else { return }
        self.nextDue = nil
        for host in hosts.values {
            for connection in host.connections {
                for call in connection.underWay where !call.isAnswered {
                    guard call.due <= now else {
                        look(at: call)
                        continue
                    }
                    call.expire(at: now)
                    connection.giveUp(call)
                }
            }
            for call in host.waiting.prefix(.max / 2) where !call.isAnswered {
                if call.due <= now { call.expire(at: now) } else { look(at: call) }
            }
        }
    }

    private func look(at call: SharedCall) { nextDue = min(nextDue ?? call.due, call.due) }

    /// Sleeps until something comes, and takes it.
    private func wait(atMost milliseconds: Int32) {
        let open = hosts.values.flatMap { host in host.connections.map { (host: host, connection: $0) } }
        var sockets = open.map { (_, connection) in
            let events = CURL_WAIT_POLLIN | (connection.mustWait ? CURL_WAIT_POLLOUT : 0)
            return curl_waitfd(fd: connection.socket, events: Int16(events), revents: 0)
        }
        expect(curl_multi_poll(multi.handle, &sockets, UInt32(sockets.count), milliseconds, nil))
        for (place, (host, connection)) in open.enumerated() where sockets[place].revents != 0 {
            if !connection.receive(buffer) { lose(connection, of: host) }
            _ = takeLeftBehind(connection, host)
        }
    }

    private var sleepMs: Int32 {
        let mute = hosts.values.lazy.flatMap(\.connections).compactMap(\.muteUntil).min()
        guard let due = [nextDue, mute].compactMap({ $0 }).min() else { return Int32(multi.pollMs) }
        let left = ContinuousClock.now.duration(to: due) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), Double(multi.pollMs)))
    }

    private func lose(_ connection: SharedConnection, of host: SharedHost) {
        connection.lose("the connection was closed")
        close(connection, of: host)
        // A server that hangs up on whoever has said nothing would be asked again and again.
        if !connection.hasBegunAny {
            host.failWhereUnreached(HTTPFailure(.broken, "the connection was closed"))
        }
    }

    private func close(_ connection: SharedConnection, of host: SharedHost) {
        _ = takeLeftBehind(connection, host)
        host.connections.removeAll { $0 === connection }
        expect(curl_multi_remove_handle(multi.handle, connection.easy))
    }

    private func end() {
        for host in hosts.values {
            if let opening = host.opening { expect(curl_multi_remove_handle(multi.handle, opening.easy)) }
            host.opening = nil
            for connection in host.connections {
                for call in connection.underWay { call.cancel() }
                close(connection, of: host)
            }
            while let call = host.waiting.popFirst() { call.cancel() }
        }
        for one in inbox.take().asked {
            inbox.answered()
            one.reply(.failure(HTTPFailure(.cancelled, "stopping")))
        }
        let whenStopped = inbox.end()
        hosts = [:]
        curl_multi_cleanup(multi.handle)
        let left = Countdown(plain.count) { for done in whenStopped { done() } }
        for pool in plain.values { pool.stop { left.one() } }
    }

    /// libcurl fails here only when it is used wrongly, or memory has run out.
    private func expect(_ code: CURLMcode) {
        precondition(code == CURLM_OK, "libcurl: \(String(cString: curl_multi_strerror(code)))")
    }
}
