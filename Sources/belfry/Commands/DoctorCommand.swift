import CivilTime
import Console
import Delivery
import Foundation
import Hashing
import Journal
import Notices
import Sealing
import Shared

/// `belfry doctor`: what a new machine needs, looked at one by one.
enum DoctorCommand: Command {
    private static let listen = CommandSpec.Option(
        name: RunOptions.listen.name, value: "ADDRESS",
        help: "also try whether a worker could listen on this TCP address")

    private static let token = CommandSpec.Option(
        name: RunOptions.token.name, value: "FILE", help: "also look at the file with the token of --listen",
        completion: .file)
    private static let secret = CommandSpec.Option(
        name: RunOptions.secret.name, value: "FILE", help: "also look at the file that webhooks are signed with",
        completion: .file)

    static let spec = CommandSpec(
        name: "doctor",
        summary: "Checks what a new machine needs: tz database, clock, disk, libraries, and the log's directory.",
        positional: nil, options: [CommandSpec.data, listen, token, secret, ClusterOptions.postgres, CommandSpec.json],
        notes:
            """
            Exit 0 when all is well, 1 when something needs attention. To measure the disk it
            writes one small file, in the log's directory or its nearest existing parent, and removes it.

            --postgres also looks at the database of a cluster, and changes nothing there: version, primary or not, a pooler in
            between, durability, synchronous standbys, time-outs, connections, clock, rights, and what cluster it holds. With
            --master-key-file or --master-key-command also whether that key opens the keys of every partition there.
            """
    )

    /// What one look found.
    struct Finding {
        var name: String
        var isWell: Bool
        var detail: String
    }

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let directory = World.dataDirectory(arguments)
        let data = try world.directory(arguments)
        let logs = data.isCopy ? [copy(data)] : data.allNames.map { log(world, data, $0) }
        var findings = [zones(world), clock(world, logs.compactMap(\.last).max()), disk(world, directory)]
        findings += logs.map(\.finding) + [libraries()]
        if !data.isCopy, let keys = keys(world, directory) { findings.append(keys) }
        for option in [token, secret] {
            if let path = arguments[option] { findings.append(file(path, option)) }
        }
        if let word = arguments[listen] { findings.append(port(word)) }
        if let database = try ClusterOptions.log(arguments) {
            findings += Examination(database, now: { world.clock().milliseconds }).findings.map {
                Finding(name: $0.name, isWell: $0.isWell, detail: $0.detail)
            }
            if let key = masterKey(world, of: database) { findings.append(key) }
        }
        for finding in findings {
            world.output.line { line in
                if arguments.has(CommandSpec.json) { write(finding, into: &line) } else { line.append(text(finding)) }
            }
        }
        let ailing = findings.filter { !$0.isWell }.map(\.name)
        if !ailing.isEmpty {
            throw Failure(.no, "needs attention: \(ailing.joined(separator: ", "))")
        }
    }

    private static func text(_ finding: Finding) -> String {
        let label = finding.name + String(repeating: " ", count: max(0, 12 - finding.name.count))
        return "\(finding.isWell ? "ok   " : "FAIL ") \(label) \(finding.detail)"
    }

    private static func write(_ finding: Finding, into line: inout ByteBuffer) {
        line.append("{\"check\":")
        line.appendJSONString(finding.name)
        line.append(finding.isWell ? ",\"ok\":true,\"detail\":" : ",\"ok\":false,\"detail\":")
        line.appendJSONString(finding.detail)
        line.append("}")
    }

    /// India, as browsers and phones still call it. Debian 13 and Ubuntu 24.04 keep such names in a package of their own.
    private static let oldName = "Asia/Calcutta"

    private static func zones(_ world: World) -> Finding {
        do {
            let zones = try world.zones()
            for name in ["UTC", "America/New_York", "Asia/Kathmandu"] { _ = try zones.zone(named: name) }
            let version = "version \(zones.version) in \(zones.directory)"
            guard zones.problem(with: oldName) == nil else {
                let detail =
                    "\(version) lacks names that browsers send, such as \(oldName): install the tzdata-legacy package"
                return Finding(name: "tz database", isWell: false, detail: detail)
            }
            return Finding(
                name: "tz database", isWell: true, detail: "\(version), \(zones.names.count) zones")
        } catch let error as Failure {
            return Finding(name: "tz database", isWell: false, detail: error.message)
        } catch {
            return Finding(name: "tz database", isWell: false, detail: "\(error)")
        }
    }

    /// Recorded time never goes backwards (`T7`), so a clock behind the log would make it stand still.
    ///
    /// - Parameter last: the log's last instant, read before the clock is: a writer beside this may go on meanwhile.
    private static func clock(_ world: World, _ last: Instant?) -> Finding {
        let now = world.clock()
        if let released = try? Instant(rfc3339: "2025-01-01T00:00:00Z"), now < released {
            return Finding(
                name: "clock", isWell: false, detail: "it says \(now), which is in the past; set the machine's clock")
        }
        if let last, last > now {
            return Finding(
                name: "clock", isWell: false,
                detail: "it says \(now), but the log's last event is of \(last); until then recorded time stands still")
        }
        return Finding(name: "clock", isWell: true, detail: "\(now)")
    }

    /// What a worker of a cluster keeps of its logs is checked against the database whenever it takes one.
    private static func copy(_ data: DataDirectory) -> (finding: Finding, last: Instant?) {
        let detail =
            "\(data.path) is a worker's copy of a cluster's logs; the logs are in the database, which --postgres looks at"
        return (Finding(name: "log", isWell: true, detail: detail), nil)
    }

    private static func disk(_ world: World, _ directory: String) -> Finding {
        let name = "disk"
        do throws(DiskError) {
            var place = directory
            while try world.disk.status(of: place) == nil, DiskPath.parent(of: place) != place {
                place = DiskPath.parent(of: place)
            }
            let free = try world.disk.freeSpace(at: place)
            let sync = try syncMilliseconds(world.disk, place)
            let detail = "\(free >> 20) MiB free in \(place), a sync takes \(String(format: "%.2f", sync)) ms"
            return Finding(
                name: name, isWell: free > 64 << 20, detail: free > 64 << 20 ? detail : detail + "; make room")
        } catch {
            return Finding(name: name, isWell: false, detail: "\(error)")
        }
    }

    /// The middle one of nine small writes, each synced.
    private static func syncMilliseconds(_ disk: any Disk, _ directory: String) throws(DiskError) -> Double {
        let path = DiskPath.join(directory, ".belfry-doctor-\(getpid()).tmp")
        let file = try disk.open(path, .create)
        defer {
            disk.close(file)
            try? disk.remove(path)
        }
        var times: [Double] = []
        for round in 0..<9 {
            let start = DispatchTime.now().uptimeNanoseconds
            try disk.writeAll(file, [UInt8](repeating: 0x42, count: 512), at: round * 512)
            try disk.syncData(file)
            times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
        }
        return times.sorted()[times.count / 2]
    }

    /// What opens people's keys (SPEC §19); `nil` where there is no log yet, or one that has none.
    private static func keys(_ world: World, _ directory: String) -> Finding? {
        guard let data = try? DataDirectory(directory, on: world.disk),
            let log = try? LogReader(data.log(data.names[0]), on: world.disk), log.isSealed
        else { return nil }
        var detail =
            world.keyOptions.isEmpty
            ? "the master key lies beside the log: back up keys, keys.table and master.key apart from it and not for long, or keep it elsewhere (--master-key-file, --master-key-command)"
            : "opened by the master key that was named"
        // An id is what apps, receivers and other logs call somebody for ever.
        if let people = try? log.index().people,
            (0..<min(people.count, idsLookedAt)).contains(where: { people.id(UInt32($0))?.contains("@") ?? false })
        {
            detail += "; ids look like addresses: opaque ones tell nobody anything, also where Belfry does not reach"
        }
        return Finding(name: "keys", isWell: true, detail: detail)
    }

    private static let idsLookedAt = 1000

    /// Whether the master key that was named opens the keys of a cluster's logs. `nil` where none was named, or there are no such keys;
    /// what is wrong with the database itself the examination says.
    private static func masterKey(_ world: World, of database: PostgresLog) -> Finding? {
        guard let master = world.master, !world.keyOptions.isEmpty,
            let cluster = try? ClusterOptions.cluster(database, isReading: true), cluster.isSealed
        else { return nil }
        func finding(_ isWell: Bool, _ detail: String) -> Finding {
            Finding(name: "master key", isWell: isWell, detail: detail)
        }
        let keys = ClusterKeys(database, of: cluster.id, isReading: true)
        do {
            for partition in Partition.everyone..<cluster.partitions {
                let identity =
                    try keys.identity(partition) ?? ClusterCache.newIdentity(partition, of: cluster.id)
                try KeyRing.expectOpen(keys.tables(of: partition), of: identity, on: world.disk, master: master)
            }
            return finding(true, "\(master.name) opens the keys of every partition that has any")
        } catch let error as KeyTablesError {
            return finding(false, error.words)
        } catch {
            return finding(false, "\(error)")
        }
    }

    /// Of one of several that is gone, that nobody is to begin it anew.
    private static func log(
        _ world: World, _ data: DataDirectory, _ name: LogName
    ) -> (finding: Finding, last: Instant?) {
        do throws(Failure) {
            guard let failure = try data.gone(name, on: world.disk) else { return log(world, data.log(name)) }
            return (Finding(name: "log", isWell: false, detail: failure.message), nil)
        } catch {
            return (Finding(name: "log", isWell: false, detail: error.message), nil)
        }
    }

    /// What there is to say of the log, and its last instant.
    private static func log(_ world: World, _ directory: String) -> (finding: Finding, last: Instant?) {
        func finding(_ isWell: Bool, _ detail: String) -> Finding {
            Finding(name: "log", isWell: isWell, detail: detail)
        }
        do throws(JournalError) {
            let log = try LogReader(directory, on: world.disk)
            if let status = try? world.disk.status(of: directory) {
                guard status.isMine else { throw .notMine(directory: directory, owner: status.owner) }
                guard !status.isWritableByOthers else {
                    let words = "may be written by every user of this machine; `chmod o-w` keeps the log yours"
                    return (finding(false, "\(directory) \(words)"), nil)
                }
            }
            guard try !log.isHalfImported() else {
                let words =
                    "holds a part of a history: an import runs, or was cut off. If none runs, remove it and import again"
                return (finding(false, "\(directory) \(words)"), nil)
            }
            guard !log.isEmpty else { return (finding(true, "\(directory) is empty; a log can begin there"), nil) }
            let index = try log.index()
            if let doubt = log.witness.doubt {
                return (finding(false, "\(doubt), so an end that was cut off would not show"), index.head.at)
            }
            let size = counted(log.segmentCount, "file") + ", \(log.byteCount >> 20) MiB"
            // What a snapshot covers was not read again.
            let detail =
                "\(directory): \(counted(index.head.lastSeq, "event")) about "
                + "\(counted(index.people.count, "person", "people")) in \(size); "
                + "the end can be read, `belfry verify` reads all of it"
            return (finding(true, detail), index.head.at)
        } catch .noLog {
            return (finding(true, "\(directory) is not there yet; `belfry append` makes it"), nil)
        } catch {
            return (finding(false, "\(error)"), nil)
        }
    }

    /// Whether a worker could listen there.
    private static func port(_ word: String) -> Finding {
        do {
            let socket = try ListeningSocket.tcp(try ListenAddress(word))
            defer { socket.close() }
            return Finding(name: "port", isWell: true, detail: "\(socket.address) is free")
        } catch {
            return Finding(name: "port", isWell: false, detail: "\(error)")
        }
    }

    /// Who else may use a secret.
    private static func file(_ path: String, _ option: CommandSpec.Option) -> Finding {
        let name = String(option.name.dropFirst(2))
        let warning: String?
        do {
            let isToken = option.name == token.name
            warning = try isToken ? TokenFile(path).warning : WebhookSecrets.read(path).warning
        } catch let problem as TokenFile.Problem {
            return Finding(name: name, isWell: false, detail: problem.words)
        } catch {
            return Finding(name: name, isWell: false, detail: "\(error)")
        }
        if let warning { return Finding(name: name, isWell: false, detail: warning) }
        return Finding(name: name, isWell: true, detail: "\(path) is there for its owner alone")
    }

    private static func libraries() -> Finding {
        let all = [LinkedLibraries.description, ServerLibrary.description, CurlLibrary.description]
        return Finding(name: "libraries", isWell: true, detail: all.joined(separator: ", "))
    }
}
