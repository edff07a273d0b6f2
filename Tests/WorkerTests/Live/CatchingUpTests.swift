import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// What a worker has left to hand out waits for this: whose time has ended meanwhile is erased first (E1).
@Suite("Who waits until everybody who was due has been woken")
struct CatchingUpTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()
    private let heard = Hearing<Void>()

    private var told: Int { heard.all.count { (try? $0.get()) != nil } }

    @Test func `is told once, when all of it is durable`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 400
        let machine = try herd(limits)
        machine.core?.askWhenCaughtUp(heard.hear)
        while let due = machine.core?.nextWake, due <= machine.clock {
            #expect(told == 0)
            machine.turn()
        }
        #expect(told == 0, "the disk is not done")
        machine.settle()
        #expect(told == 1 && machine.handedOver.count == 1000)
        machine.clock = machine.clock.advanced(byDays: 1)
        machine.settle()
        #expect(told == 1)
    }

    @Test func `is not told while anybody is due, though all that was decided is durable`() throws {
        var limits = WorkerCore.Limits()
        limits.wakesPerTurn = 400
        let machine = try herd(limits)
        machine.core?.askWhenCaughtUp(heard.hear)
        var turns = 0
        while let due = machine.core?.nextWake, due <= machine.clock {
            #expect(told == 0)
            machine.turn()
            machine.finishWriting()
            turns += 1
        }
        machine.settle()
        #expect(told == 1 && turns > 2)
    }

    @Test func `is told at once where nobody is due`() {
        let machine = machine()
        machine.core?.askWhenCaughtUp(heard.hear)
        machine.settle()
        #expect(told == 1)
    }

    @Test func `waits for a policy that is still applied to everybody`() throws {
        var limits = WorkerCore.Limits()
        limits.appliedPerTurn = 100
        let machine = try herd(limits)
        machine.settle()
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: "messageai") ?? "")
        machine.core?.ask(facts: [Fact(payload: .policyAdopted(adoption))], answers.hear)
        machine.turn()
        machine.core?.askWhenCaughtUp(heard.hear)
        var isApplying = false
        while machine.core?.isApplyingPolicy == true {
            isApplying = true
            #expect(told == 0)
            machine.turn()
            machine.finishWriting()
        }
        #expect(isApplying, "it is done in pieces")
        machine.settle()
        #expect(told == 1)
    }

    @Test func `hears of a worker that fails`() throws {
        let machine = try herd(WorkerCore.Limits())
        machine.core?.askWhenCaughtUp(heard.hear)
        for answer in machine.core?.giveUp(.lost("it is gone")).answers ?? [] { answer() }
        #expect(heard.all.count == 1 && told == 0)
    }
}
