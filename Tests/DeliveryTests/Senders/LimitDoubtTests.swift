import Testing

@testable import Delivery

@Suite("N5, whose a limit is")
struct LimitDoubtTests {
    private let limit = SenderVerdict.wait(seconds: 30, reason: "answered 429", whom: .address)
    private let ofAll = SenderVerdict.wait(seconds: 30, reason: "answered 429", whom: .sender)
    private let most = LimitDoubt.inARowMax

    @Test func `one address that hears it again and again keeps nobody waiting`() {
        var doubt = LimitDoubt()
        for _ in 0..<100 {
            let judged = doubt.judge(limit, of: "a")
            #expect(judged == limit)
        }
    }

    @Test func `a provider at its limit lets some through, and failures say nothing of limits`() {
        var doubt = LimitDoubt()
        var heard = 0
        for number in 0..<60 where heard == 0 {
            if number % 6 == 5 { _ = doubt.judge(.taken(providerID: nil), of: "t\(number)") }
            _ = doubt.judge(.transient(reason: "answered 500"), of: "f\(number)")
            let judged = doubt.judge(limit, of: "\(number)")
            if judged == ofAll { heard = number }
        }
        #expect(heard > 0)
        // Where half of them are taken it is theirs.
        doubt = LimitDoubt()
        for number in 0..<200 {
            let judged = doubt.judge(limit, of: "\(number)")
            #expect(judged == limit)
            _ = doubt.judge(.taken(providerID: nil), of: "t\(number)")
        }
    }

    @Test func `so many different ones mean all of them, until some are taken`() {
        var doubt = LimitDoubt()
        let judged = (0..<most + 5).map { doubt.judge(limit, of: "\($0)") }
        #expect(judged.firstIndex(of: ofAll) == most - 1 && judged.last == ofAll)
        let taken = doubt.judge(.taken(providerID: nil), of: "b")
        let next = doubt.judge(limit, of: "c")
        #expect(taken == .taken(providerID: nil) && next == limit)
    }

    @Test func `what the provider says of itself stays that`() {
        var doubt = LimitDoubt()
        let judged = doubt.judge(ofAll, of: "a")
        #expect(judged == ofAll)
    }
}

@Suite("N5, whom a refusal is about")
struct RefusalDoubtTests {
    private let refusal = SenderVerdict.misconfigured(.init("answered 554 5.7.1", cure: "sign in", whom: .address))
    private let ofAll = SenderVerdict.misconfigured(.init("answered 554 5.7.1", cure: "sign in"))

    @Test func `what some addresses meet is theirs, and what all meet is ours`() {
        var doubt = RefusalDoubt()
        let ofOne = (0..<100).map { _ in doubt.judge(refusal, of: "a") }
        #expect(Set(ofOne.map(\.told)) == [refusal.told])
        let ofMany = (0..<12).map { doubt.judge(refusal, of: "\($0)") }
        #expect(ofMany.firstIndex(of: ofAll) == LimitDoubt.inARowMax - 2 && ofMany.last == ofAll)
    }

    @Test func `one that is served says that it is not ours`() {
        var doubt = RefusalDoubt()
        for number in 0..<200 {
            let judged = doubt.judge(refusal, of: "\(number)")
            #expect(judged == refusal)
            if number % 9 == 8 { _ = doubt.judge(.taken(providerID: nil), of: "t") }
        }
    }

    @Test func `other answers stay what they are, and say nothing of it`() {
        var doubt = RefusalDoubt()
        let others: [SenderVerdict] = [
            ofAll, .dead(reason: "answered 550 5.1.1"), .transient(reason: "answered 451"),
            .final(reason: "answered 554"),
        ]
        for number in 0..<LimitDoubt.inARowMax - 1 { _ = doubt.judge(refusal, of: "\(number)") }
        for verdict in others {
            let judged = doubt.judge(verdict, of: "x")
            #expect(judged == verdict)
        }
        let judged = doubt.judge(refusal, of: "the tenth")
        #expect(judged == ofAll)
    }
}
