@testable import belfry
import Console
import Dispatch
import Synchronization
import Testing

/// `G11`: questions are answered a few at a time, on threads of their own, and only for who still waits.
@Suite("Where questions wait")
struct QuestionRoomTests {
    private let done = DispatchSemaphore(value: 0)
    private let answered = Told<String>()
    private let refused = Told<String>()

    private final class Told<Value: Sendable>: Sendable {
        private let values = Mutex<[Value]>([])

        var all: [Value] { values.withLock { $0 } }
        func add(_ value: Value) { values.withLock { $0.append(value) } }
    }

    private static let olga: Asker.Party = .operator("olga")

    /// A question that is being answered until it is told to end.
    private func occupy(_ room: QuestionRoom) -> DispatchSemaphore {
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        room.take(Asker(for: Self.olga)) {
            begun.signal()
            end.wait()
        } orElse: { _ in
            Issue.record("there is no seat")
            begun.signal()
        }
        #expect(begun.wait(timeout: .now() + 300) == .success)
        return end
    }

    private func ask(_ room: QuestionRoom, _ name: String, for party: Asker.Party = Self.olga) {
        ask(room, name, Asker(for: party))
    }

    private func ask(_ room: QuestionRoom, _ name: String, _ asker: Asker) {
        room.take(asker) { [done, answered] in
            answered.add(name)
            done.signal()
        } orElse: { [refused] inability in
            refused.add("\(name) \(inability)")
        }
    }

    private func waitForAnswers(_ count: Int) {
        for _ in 0..<count where done.wait(timeout: .now() + 300) == .timedOut {
            Issue.record("there are not \(count) answers")
            return
        }
    }

    @Test func `as many are answered at once as there are threads, the others in their order`() {
        let room = QuestionRoom(threads: 2, seats: 3)
        let ends = [occupy(room), occupy(room)]
        for name in ["a", "b", "c", "d"] { ask(room, name) }
        #expect(refused.all == ["d manyQuestions"], "there is no seat for the fourth")
        #expect(answered.all.isEmpty)
        ends[0].signal()
        waitForAnswers(3)
        #expect(answered.all == ["a", "b", "c"])
        ends[1].signal()
    }

    @Test func `who has gone is passed over, and leaves the seat to the next`() {
        let room = QuestionRoom(threads: 1, seats: 2)
        let end = occupy(room)
        let (gone, later) = (Asker(for: Self.olga), Asker(for: Self.olga))
        ask(room, "gone", gone)
        ask(room, "gone later", later)
        gone.leave()
        ask(room, "stayed")
        later.leave()
        end.signal()
        waitForAnswers(1)
        #expect(answered.all == ["stayed"])
        // Else what was asked would count as being worked on for ever.
        #expect(refused.all == ["gone abandoned", "gone later abandoned"])
    }

    @Test func `one person waits with a few questions, and keeps nobody else out`() {
        let room = QuestionRoom(threads: 1, seats: 8)
        let end = occupy(room)
        for number in 1...60 { ask(room, "bea \(number)", for: .person("bea")) }
        #expect(refused.all == (5...60).map { "bea \($0) manyQuestions" })
        ask(room, "carl", for: .person("carl"))
        ask(room, "olga")
        end.signal()
        waitForAnswers(6)
        #expect(answered.all == ["olga", "bea 1", "carl", "bea 2", "bea 3", "bea 4"])
    }

    @Test func `persons who fill all their seats leave operators theirs, and every second turn`() {
        let room = QuestionRoom(threads: 1, seats: 4)
        let end = occupy(room)
        for name in ["p1", "p2", "p3", "p4", "p5"] { ask(room, name, for: .person(name)) }
        for name in ["o1", "o2"] { ask(room, name, for: .operator(name)) }
        ask(room, "o1 again", for: .operator("o1"))
        #expect(refused.all == ["p5 manyQuestions"])
        end.signal()
        waitForAnswers(7)
        #expect(answered.all == ["o1", "p1", "o2", "p2", "o1 again", "p3", "p4"])
    }

    @Test func `a room that was empty for a while answers again`() {
        let room = QuestionRoom(threads: 1, seats: 1)
        for round in 0..<100 {
            // The seat is given back before the answer is begun.
            ask(room, "\(round)")
            waitForAnswers(1)
        }
        #expect(refused.all.isEmpty)
    }

    @Test func `questions that are being answered keep nothing else of the program waiting`() {
        let room = QuestionRoom(threads: 4, seats: 1)
        let ends = (0..<4).map { _ in occupy(room) }
        let queue = DispatchQueue(label: "anything", attributes: .concurrent)
        for _ in 0..<4 { queue.async { done.signal() } }
        waitForAnswers(4)
        for end in ends { end.signal() }
    }
}
