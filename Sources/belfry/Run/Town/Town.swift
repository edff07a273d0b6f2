import CivilTime
import Console
import Delivery
import Dispatch
import Journal
import Notices
import Shared
import Synchronization
import Worker

/// The logs of a process as one: whoever is meant is looked up here, and facts are dealt out to the logs of whom they are about.
///
/// A log by itself is a town of one.
final class Town: Sendable {
    private struct State: Sendable {
        /// Those that people are in, by the numbers of their partitions.
        var logs: [Int: RunningLog] = [:]
        var everyone: RunningLog?
        /// What was counted in logs that are not here any more.
        var departed = WorkFigures.Totals()
    }

    let directory: DataDirectory
    private let state = Mutex(State())
    private let crier: Crier?

    /// - Parameter crier: copies what is recorded about everyone; `nil` for a log by itself.
    init(_ directory: DataDirectory, _ logs: [RunningLog], _ crier: Crier?) {
        (self.directory, self.crier) = (directory, crier)
        for log in logs { add(log) }
    }

    /// One log, of everybody.
    convenience init(_ log: RunningLog, _ directory: DataDirectory) { self.init(directory, [log], nil) }

    // MARK: Whose logs

    func add(_ log: RunningLog) {
        state.withLock { state in
            if log.name == .everyone { state.everyone = log } else { state.logs[log.name.number ?? 0] = log }
        }
    }

    func remove(_ name: LogName) -> RunningLog? {
        state.withLock { state in
            let log = name == .everyone ? state.everyone : state.logs.removeValue(forKey: name.number ?? 0)
            if name == .everyone { state.everyone = nil }
            if let log { state.departed.add(log.worker.figures.totals) }
            return log
        }
    }

    /// What the process has counted since its start, whatever logs it had meanwhile: a counter never goes back.
    var totals: WorkFigures.Totals {
        let (departed, logs) = state.withLock { state in
            (state.departed, (state.everyone.map { [$0] } ?? []) + state.logs.values)
        }
        return logs.reduce(into: departed) { $0.add($1.worker.figures.totals) }
    }

    /// Those that people are in, by number.
    var logs: [RunningLog] { state.withLock { $0.logs }.sorted { $0.key < $1.key }.map(\.value) }
    var allLogs: [RunningLog] { (state.withLock { $0.everyone }.map { [$0] } ?? []) + logs }
    /// Where what is about everyone is found: in a log of its own, and in each partition.
    var everyone: RunningLog? { state.withLock { $0.everyone ?? $0.logs[0] ?? $0.logs.values.first } }
    var isOne: Bool { crier == nil }
    /// Whether all partitions are here.
    var isWhole: Bool { state.withLock { $0.logs.count } == directory.partitions ?? 1 }

    func log(_ number: Int) -> RunningLog? {
        state.withLock { number == LogName.everyonesNumber ? $0.everyone : $0.logs[number] }
    }

    /// `nil` where another process has it.
    func log(of user: String) -> RunningLog? { log(place(of: user)) }

    func place(of user: String) -> Int { LogName(of: user, among: directory.partitions).number ?? 0 }

    var people: Int { logs.reduce(0) { $0 + $1.worker.standing.people } }
    /// How many events there are; of one log, the number of its last.
    var events: UInt64 { allLogs.reduce(0) { $0 + $1.worker.standing.durable.lastSeq } }

    var duePeople: Int { logs.reduce(0) { $0 + $1.due.people } }
    /// For how many milliseconds somebody has been due by now.
    func lateness(at now: Instant) -> Int64 { logs.map { $0.worker.standing.lateness(at: now) }.max() ?? 0 }

    /// Goes through the workers' queues, one after the other: one that stands still is noticed by that.
    func whenEveryQueueHasTurned(_ done: @escaping @Sendable () -> Void) {
        Self.pass(allLogs.map(\.worker.queue)[...], done)
    }

    private static func pass(_ queues: ArraySlice<DispatchQueue>, _ done: @escaping @Sendable () -> Void) {
        guard let first = queues.first else { return done() }
        first.async { pass(queues.dropFirst(), done) }
    }

    /// The notices that wait; `nil` until every log has been counted once.
    var waitingNotices: WaitingNotices? {
        var all = WaitingNotices()
        for log in logs {
            guard let waiting = log.numbers.waitingNotices else { return nil }
            all.held += waiting.held
            all.gathered += waiting.gathered
        }
        return all
    }

    /// Whose numbers facts about somebody, or nobody, get.
    var partition: @Sendable (String?) -> Int? {
        guard let count = directory.partitions else { return { _ in nil } }
        return { user in user.map { Partition.of($0, among: count) } ?? Partition.everyone }
    }

    /// How many facts about everyone a partition here still lacks.
    var everyoneBehind: Int { crier?.behind ?? 0 }

    // MARK: Facts

    /// As `LiveWorker.submit`, to whichever logs the facts are about.
    ///
    /// - Parameters:
    ///   - passOn: gives what is another process's to it.
    ///   - reply: fails where not all of it was heard of.
    func submit(
        _ facts: [Fact], bytes: Int, allOrNothing: Bool = false, isOwn: Bool = false, passOn: Dealing.PassOn? = nil,
        reply: @escaping Reply<[FactReceipt]>
    ) -> LiveWorker.Intake {
        deal(facts, bytes: bytes, allOrNothing: allOrNothing, isOwn: isOwn, passOn: passOn) { reply($0.whole) }
    }

    /// The same, and tells of each fact by itself.
    func deal(
        _ facts: [Fact], bytes: Int, allOrNothing: Bool = false, isOwn: Bool = false, passOn: Dealing.PassOn? = nil,
        reply: @escaping Reply<[FactOutcome]>
    ) -> LiveWorker.Intake {
        guard let crier else {
            guard let log = log(0) else { return .closed }
            return log.worker.submit(facts, bytes: bytes, allOrNothing: allOrNothing, isOwn: isOwn) {
                reply($0.map { $0.map { .success($0) } })
            }
        }
        let deal = Deal(facts, bytes: bytes, isOwn: isOwn) { place(of: $0) }
        if allOrNothing, let problem = deal.partingProblem {
            reply(.success(facts.map { _ in .success(.refused(problem)) }))
            return .taken
        }
        if allOrNothing, !deal.refused.isEmpty {
            reply(.success(deal.withheld.map { .success($0) }))
            return .taken
        }
        let workers = state.withLock { $0.logs }.mapValues(\.worker)
        let rooms = deal.rooms.filter { workers[$0.log] != nil }
        for (place, room) in rooms.enumerated() {
            guard let intake = workers[room.log]?.keepRoom(bytes: room.bytes), intake != .taken else { continue }
            for kept in rooms[..<place] { workers[kept.log]?.giveBackRoom(bytes: kept.bytes) }
            return intake
        }
        Dealing(deal, facts, to: workers, crier, allOrNothing: allOrNothing, isOwn: isOwn, passOn: passOn, reply).goOn()
        return .taken
    }

    /// Copies what is about everyone, up to a fact, into every partition that is here.
    func catchUp(_ seq: UInt64, _ neighbours: Neighbours?, _ done: @escaping @Sendable (Bool) -> Void) {
        guard let crier else { return done(true) }
        neighbours?.wantEveryone()
        crier.hearAndWait(through: seq) { done($0 == nil) }
    }

    // MARK: What delivery asks

    /// What became of jobs, as facts of Belfry's own. None is recorded where somebody's log is not here: whoever hands out jobs hears of
    /// that too, and keeps what is about it.
    func record(_ facts: [Fact], _ done: @escaping @Sendable (Bool) -> Void) {
        guard facts.allSatisfy({ $0.user.map { log(of: $0) != nil } ?? true }) else { return done(false) }
        let intake = submit(facts, bytes: 256 * facts.count, isOwn: true) { result in
            if case .success = result { done(true) } else { done(false) }
        }
        if intake != .taken { done(false) }
    }

    /// Where people can be reached now, in the order they were named; `nil` where a worker was busy.
    func contacts(
        of people: [(user: String, topic: JobTopic)], _ answer: @escaping @Sendable ([BookEntry]?) -> Void
    ) {
        let groups = Dictionary(grouping: people.indices) { place(of: people[$0].user) }
        let gathering = Gathering(people.count, whole: [BookEntry](repeating: .elsewhere, count: people.count)) {
            answer($0)
        }
        for (place, members) in groups {
            let wanted = members.map { people[$0] }
            guard let log = log(place) else {
                // They stay as they are.
                gathering.add(members.count) { _ in }
                continue
            }
            let intake = log.worker.contacts(of: wanted) { result in
                guard let found = try? result.get() else { return gathering.fail() }
                gathering.add(members.count) { whole in
                    for (member, contact) in zip(members, found) {
                        whole[member] = BookEntry(contact.map { log.told($0) })
                    }
                }
            }
            if intake != .taken { gathering.fail() }
        }
    }

    /// Everybody in some logs who has a number, a page at most of each; `nil` where a worker was busy.
    func people(
        withPhone number: String, in logs: [RunningLog], _ answer: @escaping @Sendable ([String]?) -> Void
    ) {
        let gathering = Gathering<[String]>(logs.count, whole: []) { answer($0) }
        for log in logs {
            log.worker.search(
                PeopleSearch(.having(phone: number)),
                untilDone: { search in
                    guard let search else { return gathering.fail() }
                    gathering.add { $0 += search.found.map(\.user) }
                })
        }
    }

    func jobs(at outer: UInt64) throws(JournalError) -> [Event] {
        let (number, place) = TownPlace.inner(outer)
        guard let log = log(number) else { throw .lost("partition \(number) is another worker's now") }
        return log.told(try log.jobs.jobs(at: place))
    }

    func registration(_ seq: UInt64, at outer: UInt64) throws(JournalError) -> DeviceRegistered? {
        let (number, place) = TownPlace.inner(outer)
        guard let log = log(number) else { throw .lost("partition \(number) is another worker's now") }
        return try log.jobs.registration(TownPlace.inner(seq).place, at: place)
    }
}

extension LiveWorker {
    /// Goes through everybody, a piece a turn; `nil` where it was busy.
    fileprivate nonisolated func search(
        _ search: PeopleSearch, untilDone answer: @escaping @Sendable (PeopleSearch?) -> Void
    ) {
        guard !search.isDone else { return answer(search) }
        let intake = self.search(search) { result in
            guard let further = try? result.get() else { return answer(nil) }
            self.search(further, untilDone: answer)
        }
        if intake != .taken { answer(nil) }
    }
}

extension RunningLog {
    /// With the places by which delivery finds them again.
    fileprivate func told(_ events: [Event]) -> [Event] {
        guard name.number != nil else { return events }
        return events.map { event in
            var event = event
            event.seq = TownPlace.outer(event.seq, in: name.number)
            return event
        }
    }

    fileprivate func told(_ contact: Contact) -> Contact {
        var contact = contact
        for place in contact.devices.indices {
            let device = contact.devices[place]
            contact.devices[place].registration = TownPlace.outer(device.registration, in: name.number)
            contact.devices[place].position = TownPlace.outer(device.position, in: name.number)
        }
        contact.quietBy = TownPlace.outer(contact.quietBy, in: name.number)
        return contact
    }
}

/// Puts together what several logs answer; told once, when all have, or the first could not.
///
/// Safe to share: everything is behind a lock.
final class Gathering<Whole: Sendable>: Sendable {
    private struct State: Sendable {
        var left: Int
        var whole: Whole
        var done: (@Sendable (Whole?) -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameter count: how much is to come; with nothing to wait for it is told at once.
    init(_ count: Int, whole: Whole, done: @escaping @Sendable (Whole?) -> Void) {
        state = Mutex(State(left: count, whole: whole, done: count == 0 ? nil : done))
        if count == 0 { done(whole) }
    }

    func add(_ count: Int = 1, _ change: (inout Whole) -> Void) {
        let told = state.withLock { state -> (@Sendable () -> Void)? in
            guard let done = state.done else { return nil }
            change(&state.whole)
            state.left -= count
            guard state.left <= 0 else { return nil }
            state.done = nil
            let whole = state.whole
            return { done(whole) }
        }
        told?()
    }

    /// As far as it has come.
    var whole: Whole { state.withLock { $0.whole } }

    func fail() {
        let done = state.withLock { state in
            defer { state.done = nil }
            return state.done
        }
        done?(nil)
    }
}
