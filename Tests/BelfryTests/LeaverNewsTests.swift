@testable import belfry
import Console
import Synchronization
import Testing

/// How the other workers of a cluster hear whom retention has erased.
@Suite("News of people who leave")
struct LeaverNewsTests {
    /// The others, which answer when they are made to.
    private final class Others: Sendable {
        private struct State: Sendable {
            var heard: [String: [EraseOrder]] = [:]
            var unanswered: [String: [@Sendable (Bool) -> Void]] = [:]
            var unreached: [String] = []
        }

        private let state = Mutex(State())

        func tell(_ order: EraseOrder, _ url: String, _ done: @escaping @Sendable (Bool) -> Void) {
            state.withLock { state in
                state.heard[url, default: []].append(order)
                state.unanswered[url, default: []].append(done)
            }
        }

        func answer(_ url: String, isDone: Bool = true) {
            let unanswered = state.withLock { $0.unanswered.removeValue(forKey: url) } ?? []
            for done in unanswered { done(isDone) }
        }

        func note(unreached url: String) { state.withLock { $0.unreached.append(url) } }

        func heard(_ url: String) -> [EraseOrder] { state.withLock { $0.heard[url] } ?? [] }
        var unreached: [String] { state.withLock { $0.unreached } }
    }

    private let others = Others()

    private func news(_ urls: [String]) -> LeaverNews {
        LeaverNews(
            others: { urls }, send: { [others] in others.tell($0, $1, $2) },
            unreached: { [others] in others.note(unreached: $0) })
    }

    private func people(_ numbers: Range<Int>) -> [EraseOrder.Person] {
        numbers.map { EraseOrder.Person("u\($0)", marked: "\(1_000_000_000_000_000 + $0)") }
    }

    @Test func `each hears one word at a time, and what comes meanwhile is joined to its next`() {
        let news = news(["a", "b"])
        news.tell(people(0..<1), of: 3, erased: 1)
        news.tell(people(1..<3), of: 3, erased: 3)
        news.tell(people(3..<4), of: 5, erased: 8)
        news.tell(people(4..<5), of: 3, erased: 5)
        #expect(others.heard("a") == [EraseOrder(.left, people(0..<1), in: 3, erased: 1)])
        others.answer("a")
        #expect(
            others.heard("a").dropFirst() == [
                EraseOrder(.left, people(1..<3) + people(4..<5), in: 3, erased: 5)
            ])
        others.answer("a")
        #expect(others.heard("a").dropFirst(2) == [EraseOrder(.left, people(3..<4), in: 5, erased: 8)])
        others.answer("a")
        #expect(others.heard("a").count == 3)
        // One that stands still holds up nobody else, and does not hear more at once.
        #expect(others.heard("b").count == 1)
    }

    @Test func `many who leave at once are told of in several words, each with its own count`() {
        let (all, most) = (2 * EraseOrder.peopleMax - 24, EraseOrder.peopleMax)
        let news = news(["a"])
        news.tell(people(0..<all), of: 3, erased: 10 + all)
        others.answer("a")
        others.answer("a")
        #expect(
            others.heard("a") == [
                EraseOrder(.left, people(0..<most), in: 3, erased: 10 + most),
                EraseOrder(.left, people(most..<all), in: 3, erased: 10 + all),
            ])
    }

    @Test func `so many wait for one that stands still, those who left last`() {
        let (all, most) = (LeaverNews.waitingMax, EraseOrder.peopleMax)
        let news = news(["a"])
        news.tell(people(0..<1), of: 3, erased: 1)
        news.tell(people(1..<all + 8), of: 3, erased: all + 8)
        others.answer("a")
        #expect(others.heard("a").last == EraseOrder(.left, people(8..<8 + most), in: 3, erased: 8 + most))
    }

    @Test func `that one is not reached is said once, until it was reached again`() {
        let news = news(["a"])
        for isDone in [false, false, true, false] {
            news.tell(people(0..<1), of: 3, erased: nil)
            others.answer("a", isDone: isDone)
        }
        #expect(others.unreached == ["a", "a"] && others.heard("a").count == 4)
    }
}
