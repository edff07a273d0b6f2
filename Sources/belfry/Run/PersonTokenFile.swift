import CivilTime
import Console
import Delivery
import Journal
import Worker

/// What persons' tokens are signed with, and the file beside the log that holds which of them are revoked.
enum PersonTokenFile {
    /// What is written now stays below 32 MiB; versions before kept everybody who was erased within a year.
    private static let bytesMax = 1 << 30

    /// - Parameter directory: the caller holds its logs.
    static func desk(
        _ directory: DataDirectory, _ identity: LogIdentity, _ world: World
    ) throws(Failure) -> PersonTokenDesk {
        let secrets: [[UInt8]]
        do throws(SendersError) { secrets = try OwnSecret.readOrMake(in: directory.path) } catch {
            throw Failure(.environment, "\(error)")
        }
        let path = DiskPath.join(directory.path, LogFile.revokedTokens)
        let disk = world.disk
        let revoked = try revoked(path, disk)
        return PersonTokenDesk(
            PersonTokens(secrets: secrets, log: identity.words), revoked: revoked,
            number: { number(of: $0, in: directory, disk) }, clock: world.clock
        ) { bytes in
            do throws(DiskError) { try disk.writeAtomically(path, bytes) } catch { return "\(error)" }
            return nil
        }
    }

    /// Whoever writes a log has its people in memory. A log without seals erases nobody, so nothing has to be known of them there.
    private static func number(of user: String, in directory: DataDirectory, _ disk: any Disk) -> PersonNumber? {
        let name = LogName(of: user, among: directory.partitions)
        guard let number = disk.keys?.opened(in: directory.log(name))?.names?.number(of: user) else { return nil }
        return PersonNumber(log: name.number ?? 0, number: number)
    }

    /// Ends what tokens are left of people whom the logs erased (`E4`).
    ///
    /// - Returns: whether those of everybody were revoked.
    static func settle(
        _ desk: PersonTokenDesk, _ logs: [(name: LogName, opening: WorkerOpening)]
    ) throws(Failure) -> Bool {
        try settle(
            desk, logs.map { ($0.name, $0.opening.erasedPeople) },
            madeLast: logs.map(\.opening.core.durableHead.at).max() ?? .distantPast)
    }

    /// - Parameter erased: how many people each log has erased.
    static func settle(
        _ desk: PersonTokenDesk, _ erased: [(name: LogName, people: Int)], madeLast last: Instant
    ) throws(Failure) -> Bool {
        let erased = erased.map { ($0.name.number ?? 0, $0.people) }
        switch desk.settle(erased: Dictionary(erased, uniquingKeysWith: max), madeLast: last) {
        case .settled: return false
        case .everybodys: return true
        case .failed(let problem):
            throw Failure(.environment, "tokens of people who were erased could not be revoked: \(problem)")
        }
    }

    static let everybodysRevoked =
        "tokens of people who were erased may have been left, so the tokens of all persons were revoked; the app makes new ones"

    /// One that cannot be read stops the start: it would let in whom it had shut out.
    private static func revoked(_ path: String, _ disk: any Disk) throws(Failure) -> RevokedTokens {
        let bytes: [UInt8]
        do throws(DiskError) {
            guard try disk.status(of: path) != nil else { return RevokedTokens() }
            bytes = try disk.contents(of: path, limit: bytesMax)
        } catch {
            throw Failure(.environment, "\(error)")
        }
        do throws(RevokedTokens.Unreadable) { return try RevokedTokens(bytes) } catch {
            throw Failure(
                .damaged,
                "\(path) is damaged (\(error)); put back the copy of your backup",
                further: [
                    "Without it every token of a person that was revoked would be valid again. Where there is no copy, remove it "
                        + "and put another secret into \(OwnSecret.name), which ends all such tokens, and links in mails"
                ])
        }
    }
}
