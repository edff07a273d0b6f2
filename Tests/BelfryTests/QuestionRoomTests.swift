@testable import belfry
import Console
import Dispatch
import Synchronization
import Testing

/// `G11`: questions are answered a few at a time, on threads of their own, and only for who still waits.
@Suite("Where questions wait")
struct QuestionRoomTests {
    private let done = DispatchSemaphore(value: 0)
    private let answered = Answered()

    private final class Answered: Sendable {
        let names = Mutex<[String]>([])
    }

    /// A question that is being answered until it is told to end.
    private func occupy(_ room: QuestionRoom) -> DispatchSemaphore {
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isTaken = room.take(Asker()) {
            begun.signal()
            end.wait()
        }
        #expect(isTaken)
        begun.wait()
        return end
    }

    private func ask(_ room: QuestionRoom, _ name: String, _ asker: Asker = Asker()) -> Bool {
        room.take(asker) { [done, answered] in
            answered.names.withLock { $0.append(name) }
            done.signal()
        }
    }

    @Test func `as many are answered at once as there are threads, the others in their order`() {
        let room = QuestionRoom(threads: 2, seats: 3)
        let ends = [occupy(room), occupy(room)]
        let taken = ["a", "b", "c", "d"].map { ask(room, $0) }
        #expect(taken == [true, true, true, false], "there is no seat for the fourth")
        #expect(answered.names.withLock { $0 }.isEmpty)
        ends[0].signal()
        for _ in 0..<3 { done.wait() }
        #expect(answered.names.withLock { $0 } == ["a", "b", "c"])
        ends[1].signal()
    }

    @Test func `who has gone is passed over, and leaves the seat to the next`() {
        let room = QuestionRoom(threads: 1, seats: 2)
        let end = occupy(room)
        let (gone, later) = (Asker(), Asker())
        let taken = [ask(room, "gone", gone), ask(room, "gone later", later)]
        #expect(taken == [true, true])
        gone.leave()
        let next = ask(room, "stayed")
        #expect(next)
        later.leave()
        end.signal()
        done.wait()
        #expect(answered.names.withLock { $0 } == ["stayed"])
    }

    @Test func `a room that was empty for a while answers again`() {
        let room = QuestionRoom(threads: 1, seats: 1)
        for round in 0..<100 {
            // The seat is given back before the answer is begun.
            let isTaken = ask(room, "\(round)")
            #expect(isTaken)
            done.wait()
        }
    }

    @Test func `questions that are being answered keep nothing else of the program waiting`() {
        let room = QuestionRoom(threads: 4, seats: 1)
        let ends = (0..<4).map { _ in occupy(room) }
        let queue = DispatchQueue(label: "anything", attributes: .concurrent)
        for _ in 0..<4 { queue.async { done.signal() } }
        for _ in 0..<4 { done.wait() }
        for end in ends { end.signal() }
    }
}
