import CivilTime
import Delivery
import Foundation
import Notices
import Testing

/// Where the tests' time begins: the first instant of 2026.
let newYear = Instant(seconds: 1_767_225_600)

/// A job of the log.
func jobEvent(_ seq: UInt64, channels: [Channel] = [.push], notAfter: Instant? = nil) -> Event {
    var job = JobEmitted()
    job.job = NoticeName("anna/reminder/goal:g\(seq)/#\(seq)~1")
    job.kind = Identifier("reminder")
    job.notices = [NoticeName("anna/reminder/goal:g\(seq)/#\(seq)")]
    job.channels = channels
    job.title = Text("Prêt ?")
    job.notAfter = notAfter
    return Event(seq: seq, at: newYear, user: "anna", payload: .jobEmitted(job))
}

func order(
    _ seq: UInt64, channels: [Channel] = [.push], notAfter: Instant? = nil, at position: UInt64 = 0
) -> Order {
    guard let order = Order(jobEvent(seq, channels: channels, notAfter: notAfter), at: position) else {
        preconditionFailure("a job is an order")
    }
    return order
}

/// One job a commit, or as many as there are seqs.
func places(_ seqs: some Sequence<UInt64>, position: UInt64? = nil) -> [JobPlace] {
    seqs.map { JobPlace(position: position ?? $0 * 100, seq: $0) }
}

/// All that a log by itself has.
let everywhere = 0..<UInt64.max

extension Fact {
    /// The outcome in a line: "anna/… push delivered", "… email failed: answered 404".
    var outcome: String {
        switch payload {
        case .jobDelivered(let it):
            "\(it.job) \(it.channel.name) delivered\(it.providerID.map { " as \($0)" } ?? "")"
        case .jobFailed(let it):
            "\(it.job) \(it.channel.name) failed: \(it.reason)\(it.isPermanent ? " for ever" : "")"
        default: "\(payload)"
        }
    }

    var job: String {
        switch payload {
        case .jobDelivered(let it): it.job.text
        case .jobFailed(let it): it.job.text
        default: ""
        }
    }
}

/// A directory of the test's own, removed with it.
final class Scratch {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "delivery-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names(_ below: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + below).sorted()
    }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
        return "\(path)/\(name)"
    }
}
