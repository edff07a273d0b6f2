import Console
import Delivery
import Journal
import Notices
import Worker

/// Erases people while the worker runs (`E1`): the fact, their key, and then whatever still holds something of them.
struct Eraser: Sendable {
    let town: Town
    let courier: Courier
    let analyst: AnalystDesk?
    let keeper: Doorkeeper
    let log: RunLog
    /// What lies where Belfry does not reach.
    let elsewhere: [String]

    /// - Parameter reply: called on a thread that may wait.
    func erase(
        _ user: String, by who: String, on lane: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        _ reply: @escaping @Sendable (EraseAnswer) -> Void
    ) {
        // Keys lie on one machine's disk, and any worker may have the person next.
        guard !town.directory.isCopy else {
            return reply(.refused("a log in PostgreSQL has no sealed fields yet, so nobody can be erased from it"))
        }
        guard let home = town.log(of: user) else { return reply(.unable(.noOwner(town.place(of: user)))) }
        do throws(DiskError) { try home.erasureMark.make() } catch {
            return reply(.unable(.failed("\(error)")))
        }
        let fact = Fact(user: user, payload: .personErased(PersonErased()))
        let intake = town.submit([fact], bytes: 256) { result in
            lane {
                switch result.map(\.first) {
                case .success(.recorded(let seq, _)?): reply(.done(finish(user, seq, who, home)))
                case .success(.refused(let problem)?):
                    home.spareSnapshots()
                    reply(problem.path.hasSuffix("user") ? .unknown(problem.problem) : .refused(problem.problem))
                case .success: reply(.unable(.failed("the log did not say what became of it")))
                case .failure(let refusal): reply(.unable(refusal.inability))
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    /// What is left to do once the key is gone. Its end is the new snapshot, which takes the mark away.
    private func finish(_ user: String, _ seq: UInt64, _ who: String, _ home: RunningLog) -> ErasureReport {
        var removed = [Self.key]
        removed += courier.erase(user)
        analyst?.erase(user)
        if let problem = keeper.revokeTokens(of: user) {
            log.error("the tokens of somebody who was erased could not be revoked: \(problem)", ("seq", "\(seq)"))
        } else {
            removed.append(Self.tokens)
        }
        home.rewriteSnapshots()
        removed.append("the snapshots beside the log: they are being written anew, without them")
        log.info("somebody was erased", ("seq", "\(seq)"), ("by", who))
        return ErasureReport(seq: seq, removed: removed, elsewhere: elsewhere)
    }

    static let key = "their key: what the log says of them can be opened by nobody any more"
    private static let tokens = "their tokens for the settings page"
    static let rewritten = "the snapshots beside the log, written anew without them"
    static let backups =
        "backups of the keys (keys, keys.table, master.key): one of before now still opens what a copy of the log says of them"
    static let followers = "whoever followed the event stream, or took jobs, keeps what they were given"

    /// - Parameter sinks: as they were named, without secrets.
    static func elsewhere(sinks: [String], hasSenders: Bool) -> [String] {
        var places = [backups, followers]
        places += sinks.map { "what was given to, or taken out of, \($0)" }
        if hasSenders { places.append("what the providers of push, email and texts were given") }
        return places
    }
}
