import CivilTime
import Console
import Journal
import Synchronization

/// Ends the tokens of people who are about to be erased by a command that found no worker. The file of revoked tokens is read when
/// somebody is, and once.
final class EndingTokens: Sendable {
    private let directory: DataDirectory
    private let identity: LogIdentity
    private let world: World
    /// How many people each log had erased when it was opened.
    private let erased: [(LogName, Int)]
    private let madeLast: Instant
    private let desk = Mutex<PersonTokenDesk?>(nil)

    init(
        _ directory: DataDirectory, _ identity: LogIdentity, _ world: World, erased: [(LogName, Int)], madeLast: Instant
    ) {
        (self.directory, self.identity, self.world) = (directory, identity, world)
        (self.erased, self.madeLast) = (erased, madeLast)
    }

    /// Durable when it returns (`E4`).
    func end(_ user: String, in log: Int) throws(Failure) { try end([user], in: log) }

    /// Those of people who are erased by one commit, by one write.
    func end(_ users: [String], in log: Int) throws(Failure) {
        guard !users.isEmpty else { return }
        if let problem = try opened().beginErasing(users, in: log) {
            throw Failure(.environment, "their tokens could not be revoked, so nobody was erased: \(problem)")
        }
    }

    /// They were not erased after all. Their tokens stay revoked.
    func spare(_ user: String, in log: Int) throws(Failure) { try opened().endErasing(user, in: log, isRefused: true) }

    private func opened() throws(Failure) -> PersonTokenDesk {
        if let desk = desk.withLock({ $0 }) { return desk }
        let opened = try PersonTokenFile.desk(directory, identity, world) { $0() }
        if try PersonTokenFile.settle(opened, erased, madeLast: madeLast) {
            complain(PersonTokenFile.everybodysRevoked)
        }
        desk.withLock { $0 = opened }
        return opened
    }
}
