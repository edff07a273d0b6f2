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
}
