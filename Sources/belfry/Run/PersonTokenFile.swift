import CivilTime
import Console
import Delivery
import Dispatch
import Journal
import Worker

/// What persons' tokens are signed with, and the file beside the log that holds which of them are revoked.
enum PersonTokenFile {
    /// What is written now stays below 32 MiB; versions before kept everybody who was erased within a year.
    private static let bytesMax = 1 << 30

    /// - Parameters:
    ///   - directory: the caller holds its logs.
    ///   - later: all of the file is written anew there, now and then.
    static func desk(
        _ directory: DataDirectory, _ identity: LogIdentity, _ world: World, later: @escaping PersonTokenDesk.Later
    ) throws(Failure) -> PersonTokenDesk {
        let secrets: [[UInt8]]
        do throws(SendersError) { secrets = try OwnSecret.readOrMake(in: directory.path) } catch {
            throw Failure(.environment, "\(error)")
        }
        let path = DiskPath.join(directory.path, LogFile.revokedTokens)
        let disk = world.disk
        let revoked = try revoked(path, disk)
        let desk = PersonTokenDesk(
            PersonTokens(secrets: secrets, log: identity.words), revoked: revoked,
            number: { number(of: $0, in: directory, disk) }, clock: world.clock, later: later
        ) { what in
            do throws(DiskError) { return try write(what, path, disk) } catch { return "\(error)" }
        }
        do throws(DiskError) { try removeDraft(of: path, disk) } catch { throw Failure(.environment, "\(error)") }
        desk.compactWhereWorthIt()
        return desk
    }

    private static func draft(of path: String) -> String { path + ".beside.tmp" }

    /// A run that was killed may have left one, which may hold what the file does not any more.
    static func removeDraft(of path: String, _ disk: any Disk) throws(DiskError) {
        let draft = draft(of: path)
        guard try disk.status(of: draft) != nil else { return }
        try disk.remove(draft)
        try disk.syncDirectory(DiskPath.parent(of: path))
    }

    /// What is erased meanwhile is one more writing of all of the file at most.
    static func inAWhile() -> PersonTokenDesk.Later {
        let queue = DispatchQueue(label: "belfry.person-tokens", qos: .utility)
        return { work in queue.asyncAfter(deadline: .now() + .seconds(10), execute: work) }
    }

    // MARK: Writing

    /// - Returns: what is wrong with the file that is there.
    static func write(_ what: RevokedTokens.Write, _ path: String, _ disk: any Disk) throws(DiskError) -> String? {
        let draft = draft(of: path)
        switch what {
        case .whole(let bytes): try disk.writeAtomically(path, bytes)
        case .line(let line, let end):
            let file = try disk.open(path, .write)
            defer { disk.close(file) }
            let size = try disk.size(of: file)
            guard size >= end else { return "\(path) is shorter than it was written" }
            if size > end {
                // What a crash has left of a line is gone before another comes there: a mix of both would be none.
                try disk.truncate(file, to: end)
                try disk.syncData(file)
            }
            try disk.writeAll(file, line, at: end)
            try disk.syncData(file)
        case .draft(let bytes):
            let file = try disk.openDraft(draft)
            defer { disk.close(file) }
            try disk.writeAll(file, bytes, at: 0)
            try disk.syncData(file)
        case .draftInPlace(let lines):
            if !lines.isEmpty { try add(lines, to: draft, disk) }
            try disk.rename(draft, to: path)
            try disk.syncDirectory(DiskPath.parent(of: path))
        }
        return nil
    }

    private static func add(_ lines: [UInt8], to path: String, _ disk: any Disk) throws(DiskError) {
        let file = try disk.open(path, .write)
        defer { disk.close(file) }
        try disk.writeAll(file, lines, at: disk.size(of: file))
        try disk.syncData(file)
    }

    // MARK: Erased people

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
