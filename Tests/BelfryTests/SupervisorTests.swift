import Foundation
import Testing

/// What a service manager hears of a worker (sd_notify).
@Suite("belfry run under a service manager")
struct SupervisorTests {
    let shell = Shell()

    /// A datagram socket such as systemd listens on. A message that does not come is an empty one.
    private final class Manager {
        private let descriptor: Int32

        init(at path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(code == 0)
        }

        deinit { close(descriptor) }

        func next() -> String {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 30_000) == 1 else { return "" }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }

        /// Whether nothing was said so far.
        var isSilent: Bool {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, 0) == 0
        }

        /// The next message that is no sign of life.
        func nextState() -> String {
            while true {
                let message = next()
                if message != "WATCHDOG=1" { return message }
            }
        }
    }

    @Test func `it hears that the worker is ready, alive, reading its policy again, and stopping`() throws {
        let manager = try Manager(at: shell.path("notify"))
        let worker = shell.start(
            ["run", "--jobs", "spool:spool", "--policy", "standard"],
            environment: ["NOTIFY_SOCKET": shell.path("notify"), "WATCHDOG_USEC": "100000"])
        #expect(manager.nextState() == "READY=1")
        #expect(manager.next() == "WATCHDOG=1")
        #expect(manager.next() == "WATCHDOG=1")
        worker.send(signal: SIGHUP)
        #expect(manager.nextState() == "RELOADING=1")
        #expect(manager.nextState() == "READY=1")
        worker.send(signal: SIGTERM)
        #expect(manager.nextState() == "STOPPING=1")
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `one whose door cannot be opened never says that it is ready`() throws {
        let manager = try Manager(at: shell.path("notify"))
        try shell.makeDirectory("events/log/belfry.sock")
        let worker = shell.start(
            ["run", "--jobs", "spool:spool"], environment: ["NOTIFY_SOCKET": shell.path("notify")])
        let end = worker.waitForEnd()
        #expect(end.code == 5)
        #expect(!end.errors.contains(#""message":"running""#), "\(end.errors)")
        #expect(manager.isSilent)
    }
}
