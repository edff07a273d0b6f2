internal import CCurl
internal import Foundation

/// The sockets of connections that carry many calls. What is written to them in one turn goes out together: libcurl writes
/// each frame by itself, and a thousand small packets cost more than all else that is done about their calls.
///
/// libcurl keeps pointers to it as long as a connection lives: it must outlive them. Belongs to the thread that performs the
/// calls.
final class SharedSockets {
    private var open: Set<curl_socket_t> = []

    /// How long the other side may acknowledge nothing.
    private static let silenceMs: UInt32 = 10_000

    /// Has the connection that this call may open tell of its socket.
    func watch(_ easy: UnsafeMutableRawPointer) -> CURLcode {
        belfry_curl_watch_sockets(easy, socketOpened, socketEnded, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Does what writes to them.
    func together<Result>(_ work: () -> Result) -> Result {
        for socket in open { belfry_curl_hold(socket, 1) }
        // Those that were opened meanwhile were not held.
        defer { for socket in open { belfry_curl_hold(socket, 0) } }
        return work()
    }

    fileprivate func opened(_ socket: curl_socket_t) {
        belfry_curl_end_when_silent(socket, Self.silenceMs)
        open.insert(socket)
    }

    fileprivate func ended(_ socket: curl_socket_t) -> CInt {
        open.remove(socket)
        return close(socket)
    }
}

private let socketOpened: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t, curlsocktype) -> CInt = {
    context, socket, _ in
    guard let context else { return CInt(CURL_SOCKOPT_ERROR) }
    Unmanaged<SharedSockets>.fromOpaque(context).takeUnretainedValue().opened(socket)
    return CInt(CURL_SOCKOPT_OK)
}

private let socketEnded: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t) -> CInt = { context, socket in
    guard let context else { return close(socket) }
    return Unmanaged<SharedSockets>.fromOpaque(context).takeUnretainedValue().ended(socket)
}
