import CivilTime
import Console
import Delivery
import Journal
import Notices
import Worker

/// Erases people while the worker runs (`E1`): the end of their tokens, the fact, the end of their key, and then whatever
/// still holds something of them.
struct Eraser: Sendable {
    let town: Town
    let memories: Memories
    let keeper: Doorkeeper
    let log: RunLog
    /// `nil` where the log lies on this machine alone.
    let cluster: Elsewhere?
    /// What lies where Belfry does not reach.
    let elsewhere: @Sendable () -> [String]

    /// The other workers of a cluster, and its keys.
    struct Elsewhere: Sendable {
        let neighbours: Neighbours
        let keys: ClusterKeys
        /// Removes later what is still to be seen by somebody.
        let oldKeys: OldKeySweep?
    }

    typealias Lane = @Sendable (@escaping @Sendable () -> Void) -> Void
    typealias Answered = @Sendable (EraseAnswer) -> Void

    /// - Parameter lane: has things done on a thread that may wait.
    func erase(_ user: String, by who: String, on lane: @escaping Lane, _ reply: @escaping Answered) {
        guard let home = town.log(of: user) else { return reply(.unable(.noOwner(town.place(of: user)))) }
        // Whoever is not known keeps tokens that were made ahead of their first fact.
        let intake = home.worker.card(of: user) { result in
            lane {
                switch result {
                case .success(nil): reply(.unknown(Self.nobody(user)))
                case .success: prepare(user, who, home, lane, reply)
                case .failure(let refusal): reply(.unable(refusal.inability))
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    /// The end of their tokens is durable before the fact is told: a worker that is killed at any point leaves no token that is good for
    /// whoever has their id next (`E4`). Which snapshots are still to be written anew each start asks the log.
    private func prepare(
        _ user: String, _ who: String, _ home: RunningLog, _ lane: @escaping Lane, _ reply: @escaping Answered
    ) {
        guard let persons = keeper.persons else { return reply(.unable(.replaying)) }
        // A log without seals refuses the fact.
        guard home.isSealed else { return record(user, who, home, lane, reply) { _ in } }
        let number = home.name.number ?? 0
        // They were known a moment ago: somebody else has erased them since.
        guard let mark = persons.mark(of: user) else { return reply(.unknown(Self.nobody(user))) }
        if let problem = persons.beginErasing([user], in: number) {
            return reply(.unable(.undone("their tokens could not be revoked, so nobody was erased: \(problem)")))
        }
        let ended: @Sendable (Bool) -> Void = { isRefused in
            persons.endErasing(user, in: number, isRefused: isRefused)
        }
        guard let others = cluster?.neighbours else { return record(user, who, home, lane, reply, ended: ended) }
        // Whoever is not reached finds out by itself, and then ends the tokens of everybody.
        others.erase(EraseOrder(.begin, [EraseOrder.Person(user, marked: mark)], in: number)) { _ in
            lane {
                record(user, who, home, lane, reply) { isRefused in
                    ended(isRefused)
                    if isRefused { others.erase(EraseOrder(.refused, [EraseOrder.Person(user)], in: number)) { _ in } }
                }
            }
        }
    }

    /// - Parameter ended: is told whether nobody was erased, before the answer.
    private func record(
        _ user: String, _ who: String, _ home: RunningLog, _ lane: @escaping Lane, _ reply: @escaping Answered,
        ended: @escaping @Sendable (_ isRefused: Bool) -> Void
    ) {
        let fact = Fact(user: user, payload: .personErased(PersonErased()))
        let intake = town.submit([fact], bytes: 256) { result in
            // The fact is no later than what is durable by now. Asked before anything waits: what is decided meanwhile is about
            // whoever has the id next (`E4`).
            let erased = home.worker.standing.durable.at
            lane {
                switch result.map(\.first) {
                case .success(.recorded(let seq, _)?):
                    ended(false)
                    finish(user, seq, through: erased, who, home, lane, reply)
                case .success(.refused(let problem)?):
                    ended(true)
                    reply(problem.path.hasSuffix("user") ? .unknown(problem.problem) : .refused(problem.problem))
                case .success:
                    ended(true)
                    reply(.unable(.failed("the log did not say what became of it")))
                case .failure(let refusal):
                    // Whether it is in the log the next start sees, or whoever has the partition next. What only helps to talk to
                    // them, and says nothing that the log does not, goes at once.
                    ended(false)
                    memories.forget([user])
                    reply(.unable(refusal.inability))
                }
            }
        }
        guard let inability = intake.inability else { return }
        ended(true)
        reply(.unable(inability))
    }

    /// What is left to do once the key is gone. Its end is the new snapshot.
    private func finish(
        _ user: String, _ seq: UInt64, through erased: Instant, _ who: String, _ home: RunningLog,
        _ lane: @escaping Lane, _ reply: @escaping Answered
    ) {
        cluster?.keys.erased(1, in: home.name.number ?? 0)
        var removed = [Self.key, Self.tokens]
        removed += memories.erase([user], through: erased)
        home.hub.forget(before: seq)
        home.rewriteSnapshots()
        log.info("somebody was erased", ("seq", "\(seq)"), ("by", who))
        guard let cluster else {
            removed.append("the snapshots beside the log: they are being written anew, without them")
            return reply(.done(ErasureReport(seq: seq, removed: removed, elsewhere: elsewhere())))
        }
        removed.append("snapshots of the log, at every worker: nobody can open those of before any more")
        var elsewhere = elsewhere()
        if cluster.keys.dropOldTables() {
            removed.append("the table of keys as it was before, in the database")
        } else {
            elsewhere.append(Self.oldVersions)
            cluster.oldKeys?.soon()
        }
        let end = EraseOrder(.end, [EraseOrder.Person(user)], in: home.name.number ?? 0)
        cluster.neighbours.erase(end) { [removed, elsewhere] others in
            lane {
                let elsewhere = elsewhere + others.unreached.map(Self.unreached) + [Self.stopped]
                let removed = removed + others.removed
                reply(.done(ErasureReport(seq: seq, removed: removed, elsewhere: elsewhere)))
            }
        }
    }

    static let oldVersions =
        "the table of keys as it was before, in the database's file of it: it is tried again every minute, for as long as somebody may see it (a standby's reader, a backup), or until the owner of the table has run VACUUM (FULL) belfry.key_table"

    private static func unreached(_ url: String) -> String {
        "the worker at \(url) was not reached: what its spools hold of them goes within a minute or so after it sees the database, and with it the tokens of all persons there"
    }

    private static let stopped =
        "spools of workers that do not run now, or that stood still for longer than their lease: each clears its own when it goes on"

    /// What the process remembers of people beside their state.
    struct Memories: Sendable {
        let courier: Courier
        let analyst: AnalystDesk?
        let codes: CodePost?
        let whatIfs: WhatIfRuns

        /// - Parameter instant: when they were erased. Jobs of later are about whoever has their id since then (`E4`).
        /// - Returns: what was removed, in words.
        func erase(_ users: Set<String>, through instant: Instant) -> [String] {
            let removed = courier.erase(users, through: instant)
            forget(users)
            return removed
        }

        /// All but their jobs, which are owed to whoever was not erased after all.
        func forget(_ users: Set<String>) {
            for user in users {
                analyst?.erase(user)
                codes?.erase(user)
                whatIfs.erase(user)
            }
        }
    }

    private static func nobody(_ user: String) -> String { "\(quoted(user)) is nobody known here" }

    static let key = "their key: what the log says of them can be opened by nobody any more"
    static let tokens = "their tokens for the settings page"
    static let rewritten = "the snapshots beside the log, written anew without them"
    static let notRewritten =
        "the snapshots beside the log, which still hold them: the next `belfry run`, or command that opens the log to write, writes them anew"
    static let backups =
        "backups of the keys (keys, keys.table, master.key), also in copies of the whole directory: one of before now still opens what a copy of the log says of them"
    private static let databases =
        "backups, standbys and archived WAL of the database, and directories that were exported from it or imported into it: with the master key one of before now still opens what a copy of the log says of them"
    static let followers = "whoever followed the event stream, or took jobs, keeps what they were given"

    /// - Parameter sinks: as they were named, without secrets.
    static func elsewhere(sinks: [String], hasSenders: Bool, isCluster: Bool) -> [String] {
        var places = [isCluster ? databases : backups, followers]
        for sink in sinks {
            let place = "what was given to, or taken out of, \(sink)"
            if !places.contains(place) { places.append(place) }
        }
        if hasSenders { places.append("what the providers of push, email and texts were given") }
        return places
    }
}
