import Notices
import Simulation
import Testing
import Worker

/// Policies, and "run now".
@Suite("What the live worker does for everybody")
struct WorkerCoreOrderTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    // MARK: Everybody's facts

    @Test func `a policy is adopted after what was due, in a commit of its own (T10)`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: "messageai") ?? "")
        machine.core?.ask(facts: [Fact(payload: .policyAdopted(adoption)), try enrolled("zoe")], answers.hear)
        machine.settle()
        #expect(machine.handedOver.count == 1000, "all check-ins of before")
        let commits = try machine.commits()
        let place = try #require(
            commits.firstIndex { if case .policyAdopted? = $0.first?.payload { true } else { false } })
        #expect(commits[place].allSatisfy { $0.user == nil || !$0.isFact })
        #expect(commits[(place + 1)...].joined().allSatisfy { $0.isFact }, "nothing was due behind it")
    }

    // MARK: Run now

    private func run(_ order: RunOrder, on machine: SimulatedMachine) -> Result<RunReceipt, WorkerRefusal>? {
        let heard = Hearing<RunReceipt>()
        machine.core?.ask(run: order, heard.hear)
        machine.settle()
        return heard.all.first
    }

    @Test func `run now raises the next slot of a kind for those it names`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna"), try enrolled("ben")], answers.hear)
        machine.settle()
        let receipt = run(RunOrder(users: ["ben"], kind: "check_in"), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 3, lastSeq: 4, jobs: 1)))
        #expect(try machine.commits().joined().last?.user == "ben")
    }

    @Test func `who is named twice is run once, where they were named first`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna"), try enrolled("ben")], answers.hear)
        machine.settle()
        let order = RunOrder(users: ["ben", "anna", "ben", "ben", "anna"], kind: "check_in", isForced: true)
        #expect(run(order, on: machine) == .success(RunReceipt(firstSeq: 3, lastSeq: 6, jobs: 2)))
        let asked = try machine.commits().joined().filter(\.isFact).compactMap(\.user)
        #expect(asked == ["anna", "ben", "ben", "anna"])
    }

    @Test func `run now for everybody is one fact a person`() throws {
        let machine = machine()
        machine.core?.ask(facts: try (0..<5).map { try enrolled("u\($0)") }, answers.hear)
        machine.settle()
        let receipt = run(RunOrder(kind: "check_in"), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 6, lastSeq: 15, jobs: 5)))
    }

    @Test func `run now without a kind decides what is due and leaves no fact of its own`() throws {
        let machine = try herd(WorkerCore.Limits())
        let receipt = run(RunOrder(), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 1001, lastSeq: 2000, jobs: 1000)))
    }

    @Test(arguments: [false, true])
    func `run now is answered when everyone who is due has been woken, also by one who is about to stop`(
        isClosing: Bool
    ) throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 10
        let machine = try herd(limits)
        machine.core?.isClosing = isClosing
        let receipt = run(RunOrder(), on: machine)
        #expect(receipt == .success(RunReceipt(firstSeq: 1001, lastSeq: 2000, jobs: 1000)))
    }

    @Test func `run now for nobody known, or no kind of this policy, is refused and does nothing`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        for order in [RunOrder(users: ["anna", "zoe"], kind: "check_in"), RunOrder(kind: "chek_in")] {
            guard case .failure(.problem)? = run(order, on: machine) else {
                Issue.record("\(order) was not refused")
                continue
            }
        }
        #expect(try machine.commits().joined().count == 1)
    }
}
