internal import CCurl

/// Asks a server and waits for its answer, one call at a time. Follows no redirect.
///
/// For commands that have one thing to ask; a worker uses `HTTPPool`. The process must ignore SIGPIPE.
public struct HTTPClient: Sendable {
    /// The socket to speak through; `nil` for the network.
    private let socketPath: String?

    public init() { socketPath = nil }

    private init(socketPath: String) { self.socketPath = socketPath }

    /// Speaks to a server on this machine that listens on a socket in the file system. URLs then begin with
    /// `http://belfry/`: the host is sent and otherwise ignored.
    public static func unix(_ path: String) -> HTTPClient { HTTPClient(socketPath: path) }

    /// Blocks the calling thread for at most the call's patience.
    public func ask(_ call: HTTPCall) throws(HTTPFailure) -> HTTPAnswer {
        var call = call
        if let socketPath { call.socketPath = socketPath }
        let transfer = try HTTPTransfer(call)
        return try transfer.result(curl_easy_perform(transfer.easy)).get()
    }
}
