import Shared
import Testing

@testable import belfry

/// Copies that a worker of a cluster could not use.
@Suite("Troubled copies")
struct TroubledCopiesTests {
    private static let lease = Duration.seconds(6)
    private let copies = TroubledCopies(lifetime: lease)

    private func at(_ time: Duration) -> BootInstant { BootInstant(nanoseconds: 0) + time }

    @Test func `one is left alone for as long as another worker needs, and for longer each time, up to an end`() {
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<12 {
            let pause = copies.note(3, "in use", at: at(now))
            pauses.append(pause)
            #expect(copies.leftAlone(at: at(now + pause - .nanoseconds(1))) == [3])
            #expect(copies.leftAlone(at: at(now + pause)) == [])
            now += pause
        }
        // An orphan is anybody's after two.
        #expect(pauses.prefix(4) == [Self.lease * 4, Self.lease * 8, Self.lease * 16, Self.lease * 32])
        #expect(pauses.dropFirst(4).allSatisfy { $0 == Self.lease * 32 })
    }

    @Test func `what was wrong is told until it was opened, and begins anew then`() {
        _ = copies.note(3, "in use", at: at(.zero))
        _ = copies.note(3, "somebody else's", at: at(.seconds(60)))
        _ = copies.note(-1, "damaged", at: at(.seconds(60)))
        #expect(copies.all == [3: "somebody else's", -1: "damaged"])
        copies.mended(3)
        #expect(copies.all == [-1: "damaged"] && copies.leftAlone(at: at(.seconds(60))) == [-1])
        #expect(copies.note(3, "in use", at: at(.seconds(60))) == Self.lease * 4)
    }

    @Test
    func
        `one that cannot be read is noted once for a pause, however often all are looked at, and until it can be read`()
    {
        for second in 0..<24 {
            let pause = copies.noteUnread(3, "no right", at: at(.seconds(second)))
            #expect(pause == (second == 0 ? Self.lease * 4 : nil))
        }
        #expect(copies.noteUnread(3, "no right", at: at(.seconds(24))) == Self.lease * 8)
        copies.wasRead(3)
        #expect(copies.all == [:] && copies.leftAlone(at: at(.seconds(24))) == [])
        // What was wrong when it was to be opened is not mended by that.
        _ = copies.note(4, "in use", at: at(.zero))
        #expect(copies.noteUnread(4, "no right", at: at(.seconds(1))) == nil)
        copies.wasRead(4)
        #expect(copies.all == [4: "in use"])
    }

    @Test func `where no other worker lives it is tried again in a moment, and the pauses grow only where one does`() {
        copies.see(others: 0)
        for second in 0..<10 {
            #expect(copies.note(3, "in use", at: at(.seconds(second))) == .seconds(1))
            #expect(copies.leftAlone(at: at(.seconds(second))) == [3])
        }
        #expect(copies.leftAlone(at: at(.seconds(10))) == [])
        copies.see(others: 1)
        #expect(copies.note(3, "in use", at: at(.seconds(10))) == Self.lease * 4)
        #expect(copies.leftAlone(at: at(.seconds(30))) == [3])
        // The other has gone.
        copies.see(others: 0)
        #expect(copies.leftAlone(at: at(.seconds(30))) == [])
    }
}
