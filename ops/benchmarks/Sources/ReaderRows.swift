import CivilTime
import Foundation
import Journal
import Notices
import Synchronization

/// How long a fact waits for its answer while others ask for long histories, half of whom hang up (`G11`): a `belfry run` of
/// its own, and clients on its socket.
struct ReaderRows {
    let workspace: Workspace
    let options: Options

    private static let readers = 40
    private static let people = 4
    private var events: Int { options.isQuick ? 5_000 : 100_000 }
    private var duration: Double { options.isQuick ? 2 : 20 }

    func run(into table: inout Table) throws {
        say("facts beside readers")
        let directory = try workspace.fresh("readers")
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("belfry")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            table.add("facts beside readers", "left out: no belfry beside the benchmarks; ops/benchmarks/run builds it")
            return
        }
        try build(directory + "/log")
        let worker = Process()
        worker.executableURL = program
        worker.arguments = ["run", "--data", directory + "/log", "--jobs", "spool:\(directory)/spool"]
        worker.standardError = FileHandle.nullDevice
        try worker.run()
        defer {
            worker.terminate()
            worker.waitUntilExit()
        }
        let socket = directory + "/log/belfry.sock"
        while DoorClient(socket)?.ask("GET /ready") != 200 {
            precondition(worker.isRunning, "the worker ended")
            Thread.sleep(forTimeInterval: 0.05)
        }
        add(facts(socket, duration), "alone", goal: nil, into: &table)
        let readers = Readers(socket, count: Self.readers, people: Self.people)
        let waits = facts(socket, duration)
        let told = readers.stop()
        add(
            waits,
            "beside \(Self.readers) readers of people with \(grouped(Double(events))) events each, half of whom hang up (\(told))",
            goal: 0.02, into: &table)
    }

    private func add(_ waits: [Double], _ how: String, goal: Double?, into table: inout Table) {
        let p99 = waits.percentile(0.99)
        table.add(
            "a fact over the socket until it is answered, \(how)",
            "p50 \(milliseconds(waits.percentile(0.5))), p99 \(milliseconds(p99)), longest \(milliseconds(waits.max() ?? 0))",
            goal: goal.map { "p99 ≤ \(Int($0 * 1000)) ms" } ?? "", isMet: goal.map { p99 <= $0 }, ("p99_seconds", p99))
    }

    /// A commit an event, which is the most there is to read.
    private func build(_ directory: String) throws {
        let journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        var at = Instant(milliseconds: 1_740_000_000_000)
        for number in 0..<(events * Self.people) {
            let payload: Payload = number % 2 == 0 ? .appOpened(AppOpened()) : .sessionCompleted(SessionCompleted())
            // In pairs, so that everybody has both.
            let entry = Entry(user: "reader-\(number / 2 % Self.people)", payload: payload)
            _ = try journal.append([entry], at: at)
            at = at.advanced(byMilliseconds: 500)
            if journal.unwrittenBytes > 16 << 20 { try journal.commit() }
        }
        try journal.close()
    }

    /// One fact after the other, with a pause between them.
    private func facts(_ socket: String, _ duration: Double) -> [Double] {
        guard let client = DoorClient(socket) else { preconditionFailure("the worker's socket is gone") }
        var waits: [Double] = []
        let end = seconds() + duration
        while seconds() < end {
            let body = #"{"type":"app_opened","user":"honest-\#(waits.count % 100)"}"#
            let start = seconds()
            let status = client.ask("POST /v1/facts", body)
            precondition(status == 200, "a fact was answered with \(status.map { "\($0)" } ?? "nothing")")
            waits.append(seconds() - start)
            Thread.sleep(forTimeInterval: 0.005)
        }
        return waits
    }
}

/// Clients that ask about people again and again. Every second one hangs up on its question.
private final class Readers: Sendable {
    private struct Count: Sendable {
        var isStopping = false
        var answered = 0
        var refused = 0
        var gone = 0
    }

    private let count = Mutex(Count())
    private let ended = DispatchGroup()

    init(_ socket: String, count readers: Int, people: Int) {
        for reader in 0..<readers {
            let target = "GET /v1/people/reader-\(reader % people)/\(["state", "explain", "history"][reader % 3])"
            ended.enter()
            Thread.detachNewThread { [self] in
                while !count.withLock({ $0.isStopping }) { read(target, hangsUp: reader % 2 == 0, socket) }
                ended.leave()
            }
        }
    }

    private func read(_ target: String, hangsUp: Bool, _ socket: String) {
        guard let client = DoorClient(socket) else { return }
        if hangsUp {
            client.send(target)
            Thread.sleep(forTimeInterval: 0.05)
            count.withLock { $0.gone += 1 }
        } else if client.ask(target) == 200 {
            count.withLock { $0.answered += 1 }
        } else {
            count.withLock { $0.refused += 1 }
            // As `Retry-After` says.
            Thread.sleep(forTimeInterval: 2)
        }
    }

    /// How many were answered, in words.
    func stop() -> String {
        count.withLock { $0.isStopping = true }
        ended.wait()
        return count.withLock { "\($0.answered) answered, \($0.refused) told to come again, \($0.gone) gone" }
    }
}

/// A client of a worker's socket, as plain as can be.
private final class DoorClient {
    private let descriptor: Int32

    init?(_ path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), "\(path) is too long for a socket")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if code != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ request: String, _ body: String = "") {
        let text = "\(request) HTTP/1.1\r\nHost: b\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        _ = Array(text.utf8).withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// The status of the answer, which is read to its end.
    func ask(_ request: String, _ body: String = "") -> Int? {
        send(request, body)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            let text = String(decoding: bytes.prefix(1024), as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n"), let length = text.firstMatch(of: /Content-Length: ([0-9]+)/),
                let announced = Int(length.1)
            else { continue }
            let head = text[..<end.upperBound].utf8.count
            if bytes.count >= head + announced { return Int(text.dropFirst(9).prefix(3)) }
        }
    }
}
