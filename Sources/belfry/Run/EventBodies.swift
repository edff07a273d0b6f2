import CivilTime
import Console
import Notices
import Synchronization
import Worker

extension BodyStream {
    /// The events of the log as a body.
    convenience init(_ events: EventStream, isServerSent: Bool) {
        let greeting = Once()
        self.init(
            Source(
                next: {
                    if isServerSent, greeting.isFirst { return .piece(Self.greeting) }
                    return switch events.next() {
                    case .bytes(let bytes): .piece(bytes)
                    case .events: preconditionFailure("events are rendered for a body")
                    case .nothing: .nothing
                    case .end: .end
                    }
                },
                begin: { events.begin($0) }, close: { events.close() },
                heartbeat: isServerSent ? Self.signOfLife : []))
    }

    /// Somebody's feed as it changes.
    convenience init(
        _ feed: FollowingFeed, after seq: UInt64?, _ events: EventStream, clock: @escaping @Sendable () -> Instant,
        seat: FeedSeats.Seat
    ) {
        let beginning = Once()
        self.init(
            Source(
                next: {
                    if beginning.isFirst { return .piece(Self.greeting + feed.beginning(after: seq, at: clock())) }
                    while !feed.isOver {
                        switch events.next() {
                        case .events(let list):
                            let changes = feed.take(list, at: clock())
                            // Much of what happens to somebody changes nothing in their feed.
                            if !changes.isEmpty { return .piece(changes) }
                        case .bytes: preconditionFailure("a feed is made of events")
                        case .nothing: return .nothing
                        case .end: return .end
                        }
                    }
                    return .end
                },
                begin: { events.begin($0) },
                close: {
                    events.close()
                    seat.leave()
                }, heartbeat: Self.signOfLife, mayGoOn: { !feed.isOutOfDate() }))
    }

    /// A browser that lost the stream comes back after a second.
    static let greeting = Array("retry: 1000\n\n".utf8)
    /// A comment, which nobody is told of.
    static let signOfLife = Array(":\n\n".utf8)
}

/// Something that is done once, whoever comes first.
private final class Once: Sendable {
    private let isDone = Atomic(false)

    var isFirst: Bool { !isDone.exchange(true, ordering: .acquiringAndReleasing) }
}
