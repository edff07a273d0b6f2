import Console
import Foundation
import Testing

@Suite("Places to listen on")
struct ListeningTests {
    let folder = Folder()
    private var path: String { folder.path + "/belfry.sock" }

    private func problem(_ body: () throws -> Void) -> ListeningProblem? {
        do { try body() } catch { return error as? ListeningProblem }
        return nil
    }

    @Test func `the socket is its owner's alone`() throws {
        let socket = try ListeningSocket.unix(path)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        #expect(status.st_mode & 0o777 == 0o600)
        socket.close()
        #expect(lstat(path, &status) != 0, "its name goes with it")
    }

    @Test func `what a dead worker left is taken over`() throws {
        try leaveSocketBehind()
        #expect(FileManager.default.fileExists(atPath: path))
        let server = try HTTPServer(
            on: .unix(path), limits: HTTPLimits(), clocks: .real, handler: .echo)
        #expect(Client(path: path).ask("GET", "/")?.status == 200)
        server.stop(within: .zero)
    }

    /// A socket as a process leaves it that was killed: the name is there, and nobody behind it.
    private func leaveSocketBehind() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
    }

    @Test func `whoever answers there is named`() throws {
        let first = try ListeningSocket.unix(path)
        let found = problem { _ = try ListeningSocket.unix(path) }
        guard case .answered(path, let holder?) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(holder.process == getpid())
        let text = try #require(found).description
        #expect(text.hasPrefix("\(path) is answered by process \(getpid()) ("))
        #expect(text.hasSuffix("). Stop it, then try again"))
        first.close()
    }

    @Test func `what is no socket is left alone`() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(problem { _ = try ListeningSocket.unix(path) } == .notASocket(path: path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    }

    @Test func `a name that another took over in the meantime is not removed`() throws {
        let first = try ListeningSocket.unix(path)
        unlink(path)
        let second = try ListeningSocket.unix(path)
        first.close()
        #expect(FileManager.default.fileExists(atPath: path))
        second.close()
    }

    @Test func `a directory of any length will do`() throws {
        let deep = folder.path + "/" + String(repeating: "d", count: 200)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: false)
        let long = deep + "/belfry.sock"
        let server = try HTTPServer(
            on: .unix(long), limits: HTTPLimits(), clocks: .real, handler: .echo)
        let place = try UnixPath(long)
        #expect(Client(path: place.short).ask("GET", "/")?.status == 200)
        #expect(problem { _ = try ListeningSocket.unix(long) }?.description.contains("\(getpid())") == true)
        server.stop(within: .zero)
        #expect(!FileManager.default.fileExists(atPath: long))
    }

    @Test func `a directory that is not there is named`() {
        let missing = folder.path + "/missing/belfry.sock"
        #expect(
            problem { _ = try ListeningSocket.unix(missing) }?.description
                == "cannot make the socket \(missing): No such file or directory")
    }

    @Test func `a port that is taken names the process and what to do`() throws {
        let first = try ListeningSocket.tcp(ListenAddress(host: "127.0.0.1", port: 0))
        let port = try #require(first.port)
        #expect(port > 0)
        #expect(first.address == "127.0.0.1:\(port)")
        let found = try #require(problem { _ = try ListeningSocket.tcp(ListenAddress(host: "127.0.0.1", port: port)) })
        let text = found.description
        #expect(text.hasPrefix("port \(port) on 127.0.0.1 is taken by process \(getpid()) ("))
        #expect(text.hasSuffix("). Stop it, or choose another port"))
    }

    @Test func `a host that is not this machine's is refused`() {
        let elsewhere = problem { _ = try ListeningSocket.tcp(ListenAddress(host: "192.0.2.1", port: 0)) }
        #expect(elsewhere?.description.hasSuffix("Name an address that this machine has") == true)
        let unknown = problem { _ = try ListeningSocket.tcp(ListenAddress(host: "no-such-host.invalid", port: 0)) }
        #expect(unknown?.description.hasPrefix(#"cannot listen on "no-such-host.invalid": "#) == true)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), (":8080", "127.0.0.1", 8080), ("8080", "127.0.0.1", 8080),
        ("[::1]:8080", "::1", 8080), ("localhost:8080", "localhost", 8080), ("0.0.0.0:0", "0.0.0.0", 0),
    ])
    func `an address is read`(text: String, host: String, port: Int) throws {
        #expect(try ListenAddress(text) == ListenAddress(host: host, port: port))
    }

    @Test(arguments: ["", "localhost", ":", "::1:80", "[::1]", "[]:80", "a:b", "1:2:3", ":65536", "-1", ":+5", "80 "])
    func `what is no address is refused with an example`(text: String) {
        do throws(ListenAddress.Problem) {
            _ = try ListenAddress(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.description.hasPrefix("\"\(text)\""))
        }
    }
}
