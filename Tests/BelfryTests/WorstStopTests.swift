import Delivery
import Foundation
import Testing

/// A stop is over within five seconds whatever is under way, and nothing that was acknowledged is lost (SPEC §13, `G3`).
@Suite("Stopping the worker at its worst")
struct WorstStopTests {
    let shell = Shell()

    /// Takes connections and never says a word, as a stuck receiver does.
    private final class Silent {
        let descriptor: Int32
        let port: Int

        init() {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    precondition(bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0)
                    getsockname(descriptor, $0, &length)
                }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }
    }

    /// Says the beginning of a request and then nothing.
    private func stuckClient() -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(shell.path("events/log/belfry.sock").utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0)
            }
        }
        let head = Array("POST /v1/facts HTTP/1.1\r\nHost: b\r\nContent-Length: 100\r\n\r\n{".utf8)
        precondition(write(client, head, head.count) == head.count)
        return client
    }

    @Test func `a hanging webhook, a stuck client and runs for everybody`() throws {
        let receiver = Silent()
        try shell.write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "secret")
        #expect(chmod(shell.path("secret"), 0o600) == 0)
        let worker = shell.start(
            ["run", "--jobs", "webhook:http://127.0.0.1:\(receiver.port)/", "--webhook-secret-file", "secret"],
            environment: ["no_proxy": "127.0.0.1"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let people = (1...10_000).map { fact("user_enrolled", user: "u\($0)", data: #"{"timezone":"\#(Noon.zone)"}"#) }
        for start in stride(from: 0, to: people.count, by: 5_000) {
            #expect(door.append(people[start..<start + 5_000].joined())?.status == 200)
        }
        #expect(
            door.append(fact("notice_requested", user: "u1", data: #"{"kind":"urgent","title":"!"}"#))?.status == 200)
        let client = stuckClient()
        defer { close(client) }
        // Each asks ten thousand people about a slot; together they have work for much longer than a stop may last.
        let asked = DispatchGroup()
        for _ in 0..<60 {
            asked.enter()
            Thread.detachNewThread {
                _ = door.runNow(#"{"kind":"check_in"}"#)
                asked.leave()
            }
        }
        let acknowledged = door.append(fact(user: "u2", id: "last"))?.text ?? ""
        #expect(acknowledged.contains(#""accepted":1"#))
        let start = ContinuousClock.now
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect((end.code, end.output) == (0, ""), "\(end.errors)")
        #expect(end.errorLines.last?.contains(#""message":"stopped"#) == true, "\(end.errors)")
        asked.wait()
        #expect(shell.belfry("log", "--user", "u2").output.contains(#""id":"last""#))
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("append", input: fact(user: "u2", id: "last")).output.contains("duplicate"))
    }
}
