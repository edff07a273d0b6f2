/// A path as the address of a Unix socket, however long it is.
///
/// Such an address holds about a hundred bytes. A longer path is reached through its directory: that is opened, and the
/// address goes by way of the descriptor (`/proc/self/fd/7/belfry.sock`). Whoever connects can do the same.
public struct UnixPath: ~Copyable {
    static let family = SocketAddress.unixFamily
    private static let bytesMax = 107

    let path: String
    let address: SocketAddress
    /// Open for as long as the address is to lead somewhere.
    private let directory: Int32?

    public init(_ path: String) throws(ListeningProblem) {
        self.path = path
        if let address = SocketAddress(path: path) {
            self.address = address
            directory = nil
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        let opened = SocketCall.openDirectory(parent.isEmpty ? "." : parent)
        guard opened >= 0 else { throw .system(what: "open the directory of \(path)", code: -opened) }
        guard let name = parts.last, let address = SocketAddress(path: "/proc/self/fd/\(opened)/\(name)"),
            SocketCall.identity(of: "/proc/self/fd/\(opened)") != nil
        else {
            SocketCall.close(opened)
            throw .pathTooLong(path: path, bytesMax: Self.bytesMax)
        }
        self.address = address
        directory = opened
    }

    deinit {
        if let directory { SocketCall.close(directory) }
    }

    /// The path to connect to, for a client that takes one; good for as long as this value lives.
    public var short: String {
        guard let directory, let name = path.split(separator: "/").last else { return path }
        return "/proc/self/fd/\(directory)/\(name)"
    }
}
