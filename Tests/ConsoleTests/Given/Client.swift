import Foundation

/// A client that sends exactly the bytes it is told to, and reads what comes back.
///
/// Nothing here waits for time to pass: reading waits for the server, and gives up after so long that the test has failed.
final class Client {
    struct Response: Equatable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private static let patienceMilliseconds: Int32 = 600_000

    let descriptor: Int32
    /// What must not end before the client does.
    var keeping: [AnyObject] = []
    private var received: [UInt8] = []
    private(set) var isAtEnd = false

    /// One end of what is connected already.
    init(descriptor: Int32) { self.descriptor = descriptor }

    init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 { isAtEnd = true }
    }

    init(port: Int) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { isAtEnd = true }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends as much as the server takes; `false` when it has hung up.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next response; `nil` when the server hangs up without one.
    func response(toHead: Bool = false) -> Response? {
        while true {
            if let head = head() {
                let length = toHead ? 0 : Int(head.response.headers["content-length"] ?? "0") ?? 0
                while received.count < head.end + length { guard read() else { return nil } }
                var response = head.response
                response.body = Array(received[head.end..<head.end + length])
                received.removeFirst(head.end + length)
                if response.status == 100 { continue }
                return response
            }
            guard read() else { return nil }
        }
    }

    /// Reads until the server hangs up: what came that was no response yet.
    func rest() -> [UInt8] {
        while read() {}
        return received
    }

    private func head() -> (response: Response, end: Int)? {
        let separator = Array("\r\n\r\n".utf8)
        guard received.count >= 4 else { return nil }
        for start in 0...(received.count - 4) where Array(received[start..<start + 4]) == separator {
            let lines = String(decoding: received[..<start], as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count >= 2, let status = Int(words[1]) else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let pair = line.split(separator: ":", maxSplits: 1)
                headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
            }
            return (Response(status: status, headers: headers, body: []), start + 4)
        }
        return nil
    }

    private func read() -> Bool {
        guard !isAtEnd else { return false }
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Self.patienceMilliseconds) > 0 else {
            isAtEnd = true
            return false
        }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            isAtEnd = true
            return false
        }
        received += piece[..<count]
        return true
    }
}

extension Client {
    static func request(
        _ method: String, _ target: String, _ headers: [String] = [], body: [UInt8] = [], isChunked: Bool = false
    ) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: belfry"] + headers
        var sent = body
        if isChunked {
            lines.append("Transfer-Encoding: chunked")
            sent = chunks(of: body) + Array("0\r\n\r\n".utf8)
        } else if method == "POST" || !body.isEmpty {
            lines.append("Content-Length: \(body.count)")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + sent
    }

    static func chunks(of body: [UInt8]) -> [UInt8] {
        var sent: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1000)
            rest = rest.dropFirst(1000)
            sent += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        return sent
    }

    /// Sends a request and waits for its answer.
    func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: [UInt8] = [], isChunked: Bool = false
    ) -> Response? {
        send(Self.request(method, target, headers, body: body, isChunked: isChunked))
        return response(toHead: method == "HEAD")
    }
}

extension Client {
    /// Waits until something has come, and leaves it there.
    func hasSomething() -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, Self.patienceMilliseconds) > 0
    }
}
