@testable import belfry
import CivilTime
import Foundation
import Testing
import Worker

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
            guard poll(&waiting, 1, 600_000) == 1 else { return "" }
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

    private func microseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    }

    @Test func `a policy that is refused is told as read too`() throws {
        let manager = try Manager(at: shell.path("notify"))
        try shell.write(#"{"name":"mine","kinds":[{"name":"note","on_request":true}]}"#, to: "mine.json")
        let worker = shell.start(
            ["run", "--jobs", "spool:spool", "--policy", "mine.json"],
            environment: ["NOTIFY_SOCKET": shell.path("notify")])
        #expect(manager.next() == "READY=1")
        for text in ["{", #"{"name":"mine","daily_cap":2,"kinds":[{"name":"note","on_request":true}]}"#] {
            try shell.write(text, to: "mine.json")
            worker.send(signal: SIGHUP)
            #expect(manager.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            #expect(manager.next() == "READY=1")
        }
        #expect(try shell.belfry("log", "--type", "policy_adopted").events().count == 2)
    }

    @Test func `it hears that the worker is ready, alive, reading its policy again, and stopping`() throws {
        let manager = try Manager(at: shell.path("notify"))
        let worker = shell.start(
            ["run", "--jobs", "spool:spool", "--policy", "standard"],
            environment: ["NOTIFY_SOCKET": shell.path("notify"), "WATCHDOG_USEC": "100000"])
        #expect(manager.nextState() == "READY=1")
        #expect(manager.next() == "WATCHDOG=1")
        #expect(manager.next() == "WATCHDOG=1")
        let before = microseconds()
        worker.send(signal: SIGHUP)
        let reloading = manager.nextState().split(separator: "\n")
        #expect(reloading.first == "RELOADING=1")
        let moment = try #require(UInt64(reloading.last?.split(separator: "=").last ?? ""))
        #expect(reloading.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect((before...microseconds()).contains(moment))
        #expect(manager.nextState() == "READY=1")
        worker.send(signal: SIGTERM)
        #expect(manager.nextState() == "STOPPING=1")
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `while a long log is read it asks for more time, so that nobody ends the start in the middle`() throws {
        let manager = try Manager(at: shell.path("notify"))
        let log = RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: STDERR_FILENO)
        let zones = try ZoneDatabase(searching: ZoneDatabase.usualDirectories)
        let supervisor = Supervisor(["NOTIFY_SOCKET": shell.path("notify")])
        let meanwhile = try #require(Beginning.told(zones, to: log, supervisor, every: .seconds(0)).meanwhile)
        for megabytes in 1...2 {
            meanwhile(megabytes << 20)
            #expect(manager.next() == "EXTEND_TIMEOUT_USEC=600000000")
        }
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
