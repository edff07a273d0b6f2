import Foundation
import Testing

/// `ops/demo/settings`, the example of an app with the settings page in a frame.
struct DemoApp {
    let port: Int
    var origin: String { "http://127.0.0.1:\(port)" }

    /// The worker has to know the origin before the app can start: the port is asked for and given back.
    static func reserve() throws -> DemoApp {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                guard bind(descriptor, general, length) == 0, getsockname(descriptor, general, &length) == 0 else {
                    return 0
                }
                return Int(place.pointee.sin_port.byteSwapped)
            }
        }
        try #require(port != 0, "no port")
        return DemoApp(port: port)
    }

    func start(_ shell: Shell, worker: Int) -> Running {
        let script = Browser.package.appending(path: "ops/demo/settings").path
        let running = Running(
            [
                "/usr/bin/env", "python3", script, "--worker", "http://127.0.0.1:\(worker)", "--token-file", "token",
                "--user", "gina", "--port", "\(port)",
            ], in: shell.directory.path, environment: Browser.environment)
        #expect(running.line()?.contains(origin) == true)
        return running
    }
}
