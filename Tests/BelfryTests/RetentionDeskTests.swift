@testable import belfry
import CivilTime
@testable import Console
import Delivery
import Synchronization
import Testing
@testable import Worker

/// What is kept of people while retention erases them.
@Suite("Whom retention is about to erase")
struct RetentionDeskTests {
    private final class Told: Sendable {
        private let people = Mutex<[EraseOrder.Person]>([])

        func add(_ more: [EraseOrder.Person]) { people.withLock { $0 += more } }
        var all: [EraseOrder.Person] { people.withLock { $0 } }
    }

    private let told = Told()
    private let persons = PersonTokenDesk(
        PersonTokens(secrets: [Array("a secret of the worker's own, of more than 32 letters".utf8)], log: (1, 2)),
        revoked: RevokedTokens(), number: { PersonNumber(log: 3, number: $0 == "anna" ? 1 : 2) },
        clock: { .exampleStart }, later: { $0() }, write: { _ in nil })

    private func desk() -> RetentionDesk {
        let courier = Courier(
            sinks: [], clock: { .exampleStart }, read: { _ in [] }, record: { _, done in done(true) },
            log: { _, _, _ in })
        let memories = Eraser.Memories(courier: courier, analyst: nil, codes: nil, whatIfs: WhatIfRuns("/log"))
        return RetentionDesk(
            persons: persons, memories: memories, spools: { [] }, oldKeys: nil,
            tellOthers: { [told] people, _ in told.add(people) },
            log: RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1))
    }

    @Test func `the others are told what stood for them in their tokens, once they are gone`() throws {
        let desk = desk()
        let marks = ["anna", "bert"].map { persons.mark(of: $0) }
        #expect(marks[0] != nil && marks[1] != nil && marks[0] != marks[1])
        #expect(desk.willErase(["anna", "bert"], from: .partition(3)) == nil)
        #expect(told.all.isEmpty)
        desk.erased([ErasedPerson(user: "anna", seq: 1)], from: .partition(3), through: .exampleStart)
        desk.erased([ErasedPerson(user: "bert", seq: 2)], from: .partition(3), through: .exampleStart)
        #expect(told.all == [EraseOrder.Person("anna", marked: marks[0]), EraseOrder.Person("bert", marked: marks[1])])
    }

    @Test func `of whoever was not erased when the log was let go of nothing is kept, and they get tokens again`() {
        let desk = desk()
        #expect(desk.willErase(["anna"], from: .partition(3)) == nil)
        desk.letGo(of: .partition(4))
        #expect(persons.make(for: "anna", seconds: 60) == nil)
        desk.letGo(of: .partition(3))
        #expect(persons.make(for: "anna", seconds: 60) != nil)
        desk.erased([ErasedPerson(user: "anna", seq: 1)], from: .partition(3), through: .exampleStart)
        #expect(told.all == [EraseOrder.Person("anna")])
    }
}
