import Foundation

/// A client that sends exactly the bytes it is told to a worker's door.
final class RawClient {
    let descriptor: Int32
    private static let patienceMilliseconds: Int32 = 600_000

    /// Over TCP, on this machine.
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
        precondition(code == 0, "cannot connect: \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// Whether the worker hangs up in so long; without a time, whether it has by now.
    func isHungUp(within milliseconds: Int32 = 0) -> Bool {
        // POLLRDHUP, which Swift's module of glibc leaves out.
        var polled = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&polled, 1, milliseconds) > 0
    }

    @discardableResult
    func send(_ text: String) -> Self {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        return self
    }

    /// All that comes until the worker hangs up, or until the text is there.
    func received(until end: String? = nil) -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // A stream that is kept alive says something now and then and never ends.
        let deadline = ContinuousClock.now + .milliseconds(Int(Self.patienceMilliseconds))
        while end.map({ !String(decoding: bytes, as: UTF8.self).contains($0) }) ?? true, ContinuousClock.now < deadline
        {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Self.patienceMilliseconds) > 0 else { break }
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
