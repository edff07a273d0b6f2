import CivilTime
import Foundation
import Notices

@testable import Delivery

/// A job to be put into messages.
func sampleOrder(
    _ priority: Priority = .high, title: String = "Prêt ?", body: String = "Run \"5 km\" today 🏃", badge: Int? = 3,
    data: FlatMap<Text> = FlatMap(["conversation": Text("c1"), "url": Text("https://app.example.org/g1")]),
    kind: String = "goal_reminder", notAfter: Instant? = newYear.advanced(bySeconds: 90),
    channels: [Channel] = [.push]
) -> Order {
    var job = JobEmitted()
    job.job = NoticeName("anna/\(kind)/goal:g1/2026-01-01T09:00")
    job.kind = Identifier(kind)
    job.notices = [job.job]
    job.subject = Identifier("goal:g1")
    job.channels = channels
    job.priority = priority
    job.title = Text(title)
    job.body = Text(body)
    job.thread = Identifier("goal:g1")
    job.category = Identifier("GOAL")
    job.badge = badge
    job.data = data
    job.notAfter = notAfter
    guard let order = Order(Event(seq: 1729, at: newYear, user: "anna", payload: .jobEmitted(job)), at: 4096)
    else {
        preconditionFailure("a job is an order")
    }
    return order
}

/// What a JSON value holds at a path such as `aps.alert.title`; its text, if it is none.
func part(_ path: String, of bytes: [UInt8]) -> String? {
    guard var value = JSONValue(parsing: String(decoding: bytes, as: UTF8.self)) else { return "no JSON" }
    for name in path.split(separator: ".") {
        guard let inner = value[String(name)] else { return nil }
        value = inner
    }
    return value.string ?? value.text
}

let sampleToken = String(repeating: "a1", count: 32)
/// base64url of SHA-256("anna/goal_reminder/goal:g1/2026-01-01T09:00"), 32 characters.
let sampleCollapse = MessageNames.collapse("anna/goal_reminder/goal:g1/2026-01-01T09:00")
