@testable import belfry
import Journal
import Notices
import Synchronization
import Testing
import Worker

/// The facts of one request on their way to several logs, of which some do not answer.
@Suite("Facts dealt out")
struct DealingTests {
    /// Everybody is another process's; each answers as it is told to.
    private func deal(
        _ users: [String?], silent: [Int: WorkerRefusal]
    ) throws -> (result: Result<[FactOutcome], WorkerRefusal>, asked: [Int]) {
        let facts = users.map { user in
            let payload: Payload = user == nil ? .runRequested(RunRequested()) : .appOpened(AppOpened())
            return Fact(user: user, payload: payload)
        }
        let deal = Deal(facts, bytes: 100, isOwn: false) { Int($0.drop { !$0.isNumber }) ?? 0 }
        let asked = Mutex<[Int]>([])
        let told = Mutex<Result<[FactOutcome], WorkerRefusal>?>(nil)
        Dealing(
            deal, facts, to: [:], Crier(failed: { _ in }), allOrNothing: false, isOwn: false,
            passOn: { part, reply in
                asked.withLock { $0.append(part.log) }
                if let refusal = silent[part.log] { return reply(.failure(refusal)) }
                reply(.success(part.indices.map { .recorded(seq: UInt64($0), warnings: []) }))
            }
        ) { result in told.withLock { $0 = result } }.goOn()
        return (try #require(told.withLock { $0 }), asked.withLock { $0 })
    }

    private static let silent = WorkerRefusal.elsewhere("it is silent", isInDoubt: true)

    @Test func `what one log did not answer is in doubt, and the others say what they took`() throws {
        let (result, asked) = try deal(["u0", "u1", "u0", "u2"], silent: [1: Self.silent])
        #expect(asked.sorted() == [0, 1, 2])
        let outcomes = try result.get()
        #expect(outcomes[1] == .failure(Self.silent))
        for place in [0, 2, 3] { #expect(outcomes[place] == .success(.recorded(seq: UInt64(place), warnings: []))) }
        // Whoever needs all of it hears that a part may be there.
        #expect(result.whole == .failure(.elsewhere("it is silent", isInDoubt: true)))
        #expect(try deal(["u0", "u1"], silent: [:]).result.whole.get().count == 2)
    }

    @Test func `where nobody took anything the answer is one`() throws {
        let nobody = WorkerRefusal.elsewhere("nobody has it", isInDoubt: false)
        #expect(try deal(["u0", "u1"], silent: [0: nobody, 1: nobody]).result == .failure(nobody))
    }

    @Test func `where one may have taken its facts, the whole is in doubt, whoever answers first`() throws {
        let nobody = WorkerRefusal.elsewhere("nobody has it", isInDoubt: false)
        for (first, second) in [(nobody, Self.silent), (Self.silent, nobody)] {
            #expect(try deal(["u0", "u1"], silent: [0: first, 1: second]).result == .failure(Self.silent))
        }
    }

    /// A fact about everyone stands between: what is told behind it may build on it.
    @Test func `behind a hand that was not taken whole nothing is given`() throws {
        let (result, asked) = try deal(["u0", "u1", nil, "u0"], silent: [1: Self.silent])
        #expect(asked.sorted() == [0, 1])
        let outcomes = try result.get()
        #expect(outcomes[0] == .success(.recorded(seq: 0, warnings: [])))
        for place in [2, 3] {
            guard case .failure(.elsewhere(_, isInDoubt: false)) = outcomes[place] else {
                Issue.record("\(outcomes[place])")
                continue
            }
        }
        let everyone = try deal([nil, "u0"], silent: [LogName.everyonesNumber: Self.silent])
        #expect(everyone.result == .failure(Self.silent) && everyone.asked == [LogName.everyonesNumber])
    }

    /// As a log by itself tells it: both ask the fact.
    @Test func `why facts cannot be taken whole or not at all is told before any log is asked`() {
        func problem(_ facts: [Fact]) -> FieldError? {
            Deal(facts, bytes: 100, isOwn: false) { Int($0.drop { !$0.isNumber }) ?? 0 }.partingProblem
        }
        let (run, adoption) = (
            Fact(payload: .runRequested(RunRequested())), Fact(payload: .policyAdopted(PolicyAdopted()))
        )
        let opened = ["u0", "u1"].map { Fact(user: $0, payload: .appOpened(AppOpened())) }
        #expect(problem([adoption]) == nil && problem([opened[0], opened[0]]) == nil)
        for facts in [[run], [opened[0], run]] {
            #expect(problem(facts).map { "\($0)" }?.contains("even by itself") == true)
        }
        #expect(problem([opened[0], adoption]) == adoption.partingProblem(amongFacts: 2))
        #expect(problem(opened).map { "\($0)" }?.contains("within one partition") == true)
    }
}
