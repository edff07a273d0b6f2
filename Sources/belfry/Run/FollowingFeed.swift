import CivilTime
import Console
import Journal
import Notices
import Synchronization
import Worker

/// Somebody's feed with what the policy says of it, in the words of the API.
///
/// Safe to share: what changes is behind a lock, and a person's fold is touched under it alone.
final class FollowingFeed: @unchecked Sendable {
    /// As many items can still be seen to change while a stream is open.
    static let itemsKept = 200

    private let lock = Mutex(())
    private var feed: Feed
    /// The last event of the log that it began with: whoever has read it goes on behind it.
    private let begunAt: UInt64
    /// The person's first event.
    private let firstSeq: UInt64
    private var biography: Biography
    /// Whether another policy was adopted since: what kinds are called and how often one may snooze may be otherwise.
    let isOutOfDate: @Sendable () -> Bool
    /// What was said last of how many are unseen.
    private var counts: (badge: Int, unseen: Int) = (0, 0)
    /// Whether the person was erased. Whoever comes with their id afterwards is somebody new, with a feed of their own (`E4`).
    private var isErased = false

    init(
        _ feed: Feed, _ source: StorySource, _ zones: ZoneDatabase,
        isOutOfDate: @escaping @Sendable () -> Bool = { false }
    ) throws(Unanswered) {
        self.isOutOfDate = isOutOfDate
        begunAt = source.head.lastSeq
        var feed = feed
        var first: UInt64?
        biography = try source.tell(until: .end, zones) { event, _ in
            if event.user == feed.user { first = first ?? event.seq }
            _ = feed.take(event)
        }.biography
        (self.feed, firstSeq) = (feed, first ?? 0)
    }

    // MARK: A page

    func page(at now: Instant) -> [UInt8] {
        lock.withLock { _ in
            let items = feed.items
            var members: [JSONValue.Member] = [
                .init("unseen", .number("\(feed.unseen)")), .init("badge", .number("\(badge(at: now))")),
                .init("items", .array(items.map { json($0, at: now) })),
            ]
            members.append(.init("next", feed.hasOlder ? items.last.map { .number("\($0.seq)") } ?? .null : .null))
            members.append(.init("through_seq", .number("\(begunAt)")))
            var buffer = ByteBuffer()
            JSONValue.object(members).write(into: &buffer)
            return Array(buffer.bytes)
        }
    }

    // MARK: A stream

    /// What somebody who has had everything up to `seq` has to hear first; who begins hears how many are unseen.
    func beginning(after seq: UInt64?, at now: Instant) -> [UInt8] {
        lock.withLock { _ in
            var bytes: [UInt8] = []
            if let seq {
                // What came before this person began is somebody's who was erased meanwhile (`E4`).
                if seq < firstSeq || feed.clearedBy.map({ $0 > seq }) ?? false {
                    Self.append("cleared", .emptyObject, id: nil, to: &bytes)
                }
                let news = feed.items.filter { $0.changedBy > seq }.sorted { $0.changedBy < $1.changedBy }
                for (place, item) in news.enumerated() {
                    let isLast = place + 1 == news.count || news[place + 1].changedBy > item.changedBy
                    Self.append("item", json(item, at: now), id: isLast ? item.changedBy : nil, to: &bytes)
                }
            }
            counts = (badge(at: now), feed.unseen)
            // With a number, so that who is cut off before the first item comes back to here, and not to what is new by then.
            Self.append("badge", countsJSON, id: begunAt, to: &bytes)
            return bytes
        }
    }

    /// Whether nothing more comes: it is asked before the next is read.
    var isOver: Bool { lock.withLock { _ in isErased } }

    func take(_ events: [Event], at now: Instant) -> [UInt8] {
        lock.withLock { _ in
            var bytes: [UInt8] = []
            for event in events where !isErased {
                if case .personErased = event.payload { isErased = true }
                biography.take(event)
                // By then nobody may know any more whose event it is.
                let change = isErased ? feed.clear() : feed.take(event)
                if change.isCleared { Self.append("cleared", .emptyObject, id: event.seq, to: &bytes) }
                for (place, item) in change.items.enumerated() {
                    let isLast = place + 1 == change.items.count
                    Self.append("item", json(item, at: now), id: isLast ? event.seq : nil, to: &bytes)
                }
            }
            let fresh = (badge: badge(at: now), unseen: feed.unseen)
            if fresh != counts {
                counts = fresh
                Self.append("badge", countsJSON, id: nil, to: &bytes)
            }
            return bytes
        }
    }

    /// - Parameter id: of the last that came of an event: who is cut off before it hears all of them again.
    private static func append(_ name: String, _ data: JSONValue, id: UInt64?, to bytes: inout [UInt8]) {
        var buffer = ByteBuffer()
        if let id { buffer.append("id: \(id)\n") }
        buffer.append("event: \(name)\ndata: ")
        data.write(into: &buffer)
        buffer.append("\n\n")
        bytes += buffer.bytes
    }

    // MARK: Words

    private var countsJSON: JSONValue {
        .object([.init("badge", .number("\(counts.badge)")), .init("unseen", .number("\(counts.unseen)"))])
    }

    private func badge(at now: Instant) -> Int { biography.person?.badge(at: now, biography.plan) ?? 0 }

    private func json(_ item: FeedItem, at now: Instant) -> JSONValue {
        let (job, plan) = (item.job, biography.plan)
        func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        let snoozes =
            job.isTest == true
            ? [] : biography.person?.snoozeMinutes(of: job.job.text, emittedAt: item.at, at: now, plan) ?? []
        return .object([
            .init("seq", .number("\(item.seq)")), .init("job", .string(job.job.text)),
            .init("at", .string("\(item.at)")),
            .init("kind", .string(job.kind.text)), .init("label", .string(plan.label(of: job.kind.text))),
            .init("subject", optional(job.subject?.text)), .init("title", .string(job.title.text)),
            .init("body", .string(job.body.text)), .init("priority", .string(job.priority.name)),
            .init("channels", .array(job.channels.map { .string($0.name) })),
            .init("status", .string(item.status.rawValue)), .init("seen", .bool(item.isSeen)),
            .init("opened", .bool(item.isOpened)), .init("dismissed", .bool(item.isDismissed)),
            .init("snoozed_until", optional(item.snoozedUntil.map { "\($0)" })),
            .init("actions", .array(job.actions.map { .string($0.text) })), .init("data", data(of: job)),
            .init("snooze_minutes", .array(snoozes.map { .number("\($0)") })), .init("test", .bool(job.isTest == true)),
        ])
    }

    private func data(of job: JobEmitted) -> JSONValue {
        .object(job.data.entries.map { .init($0.key, .string($0.value.text)) })
    }
}
