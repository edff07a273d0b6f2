/// Where `--listen` says to listen: a host and a port. Without a host it is this machine alone.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    public struct Problem: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    public static let loopback = "127.0.0.1"

    public var host: String
    /// 0 lets the system choose one.
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8080`, `:8080`, `8080`, `[::1]:8080`, `localhost:8080`.
    public init(_ text: String) throws(Problem) {
        if text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), !text.isEmpty {
            self.init(host: Self.loopback, port: try Self.port(text[...], of: text))
        } else if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), text[end...].hasPrefix("]:") else { throw Self.problem(text) }
            let host = text[text.index(after: text.startIndex)..<end]
            let port = text[text.index(end, offsetBy: 2)...]
            guard !host.isEmpty else { throw Self.problem(text) }
            self.init(host: String(host), port: try Self.port(port, of: text))
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else {
                throw Problem(description: "\"\(text)\": an IPv6 address goes into brackets, as in [::1]:8080")
            }
            guard parts.count == 2 else { throw Self.problem(text) }
            self.init(
                host: parts[0].isEmpty ? Self.loopback : String(parts[0]), port: try Self.port(parts[1], of: text))
        }
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func port(_ digits: Substring, of text: String) throws(Problem) -> Int {
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(digits) else { throw problem(text) }
        guard port <= 65535 else { throw Problem(description: "\"\(text)\": a port is a number up to 65535") }
        return port
    }

    private static func problem(_ text: String) -> Problem {
        Problem(
            description: "\"\(text)\" is not an address to listen on; write HOST:PORT or PORT, such as 127.0.0.1:8080")
    }
}
