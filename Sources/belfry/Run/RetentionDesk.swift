import CivilTime
import Console
import Delivery
import Dispatch
import Synchronization
import Worker

/// What goes with it when the policy's retention erases somebody: the end of their tokens before, and of what is remembered of
/// them after.
final class RetentionDesk: Sendable {
    /// Tells the other workers of a cluster.
    typealias TellOthers = @Sendable (_ people: [EraseOrder.Person], _ log: Int) -> Void

    private let persons: PersonTokenDesk
    private let memories: Eraser.Memories
    private let spools: @Sendable () -> [SpoolSink]
    private let oldKeys: OldKeySweep?
    private let tellOthers: TellOthers?
    private let log: RunLog
    /// The log's own queue must not wait for spools.
    private let queue = DispatchQueue(label: "belfry.retention")
    /// Those who are about to be erased, in the order of their logs, with what stands for them in their tokens: their log knows them no
    /// more when they are.
    private let leaving = Mutex<[LogName: [EraseOrder.Person]]>([:])

    /// - Parameters:
    ///   - oldKeys: `nil` where the keys are files.
    ///   - tellOthers: `nil` where there are no others.
    init(
        persons: PersonTokenDesk, memories: Eraser.Memories, spools: @escaping @Sendable () -> [SpoolSink],
        oldKeys: OldKeySweep?, tellOthers: TellOthers?, log: RunLog
    ) {
        (self.persons, self.memories, self.log) = (persons, memories, log)
        (self.spools, self.oldKeys, self.tellOthers) = (spools, oldKeys, tellOthers)
    }

    /// The log's own queue waits for it, so it is one write, however many there are.
    ///
    /// - Parameter users: whom one commit erases.
    /// - Returns: what was wrong, where somebody's tokens would outlive them (`E4`).
    func willErase(_ users: [String], from name: LogName) -> String? {
        guard !users.isEmpty else { return nil }
        let people = users.map { EraseOrder.Person($0, marked: persons.mark(of: $0)) }
        if let problem = persons.beginErasing(people, in: name.number ?? 0) {
            return "tokens of people whose retention ended could not be revoked: \(problem)"
        }
        leaving.withLock { $0[name, default: []] += people }
        return nil
    }

    /// - Parameter instant: up to which the log was durable when it told of them. Clearing spools may take long, and what is
    ///   decided meanwhile is about whoever has an id of theirs by then (`E4`).
    func erased(_ people: [ErasedPerson], from name: LogName, through instant: Instant) {
        tell(people.map(\.user), of: name)
        queue.async { [self] in
            for person in people { persons.endErasing(person.user, in: name.number ?? 0, isRefused: false) }
            _ = memories.erase(Set(people.map(\.user)), through: instant)
            for person in people { log.info("somebody was erased", ("seq", "\(person.seq)"), ("by", "retention")) }
            oldKeys?.soon()
        }
    }

    /// Only once they are gone, and nobody waits for it: an erasure that comes to nothing has to be taken back nowhere else.
    private func tell(_ users: [String], of name: LogName) {
        let people = leaving.withLock { leaving in
            var line = leaving.removeValue(forKey: name) ?? []
            defer { if !line.isEmpty { leaving[name] = line } }
            return users.map { user in
                line.firstIndex { $0.user == user }.map { line.remove(at: $0) } ?? EraseOrder.Person(user)
            }
        }
        tellOthers?(people, name.number ?? 0)
    }

    /// A log was closed here. Whoever was to be erased and is not by now was not erased, or nobody knows: then whoever has the log next
    /// sees it in the log. So they count as erased, and where that was wrong it is seen in a while (`EmptyErasures`).
    func letGo(of name: LogName) {
        let people = leaving.withLock { $0.removeValue(forKey: name) } ?? []
        for person in people { persons.endErasing(person.user, in: name.number ?? 0, isRefused: false) }
        memories.forget(Set(people.map(\.user)))
    }

    /// What nobody has taken out of a spool since then holds such texts.
    func erased(_ texts: ErasedTexts, from name: LogName) {
        queue.async { [self] in
            let count = spools().reduce(0) { count, spool in
                count + spool.keep { _, decided in decided.map { $0 >= texts.before } ?? true }
            }
            oldKeys?.soon()
            log.info(
                "texts of notices were erased", ("before", "\(texts.before)"), ("seq", "\(texts.seq)"),
                ("spooled_jobs", "\(count)"), ("log", name.told), ("by", "retention"))
        }
    }
}

/// Has removed what a database's file of its keys still has of the table before: once for all that was erased within a minute, since the
/// table is locked for it; and again until nobody may see it any more.
final class OldKeySweep: Sendable {
    private let isDue = Atomic(false)
    private let sweep: @Sendable () -> Bool

    /// - Parameter sweep: whether it is gone.
    init(_ sweep: @escaping @Sendable () -> Bool) { self.sweep = sweep }

    func soon() {
        guard isDue.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(60)) { [self] in
            isDue.store(false, ordering: .releasing)
            if !sweep() { soon() }
        }
    }
}
