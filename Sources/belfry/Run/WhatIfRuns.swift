import Console
import Dispatch
import Foundation
import Hashing
import Notices
import Synchronization

/// Policies held against the one in force, over a stretch of the recorded log: one at a time, each by a process beside the
/// worker (`belfry what-if`), so that it gives way to everybody, takes one core and no more memory than it may, and can be stopped.
///
/// Safe to share: what changes is behind a lock.
final class WhatIfRuns: Sendable {
    struct Settings: Sendable {
        /// This very program.
        var program = OwnProgram.url
        /// Of its address space: a worker must not lose its memory to a question.
        var memoryBytes = max(2 << 30, ProcessInfo.processInfo.physicalMemory / 2)
        /// The results that can still be asked for.
        var kept = 8
        /// What names the master key.
        var keyOptions: [String] = []
        /// The database, as it was named, where the log is a cluster's: of that a worker has its own part.
        var database: String?
    }

    /// A run, and what has come of it.
    private struct Run: Sendable {
        var id: String
        var progress = 0.0
        var ending: Ending?
        var process: pid_t?
        /// Those who were erased since it began: it may have met them before.
        var erased: Set<String> = []
    }

    private enum Ending: Sendable {
        case done(WhatIfOutcome)
        case failed(String)
    }

    private struct Runs: Sendable {
        var all: [Run] = []
        var isStopped = false
    }

    private let directory: String
    private let settings: Settings
    private let runs = Mutex(Runs())
    private let queue = DispatchQueue(label: "belfry.what-if", qos: .background)

    init(_ directory: String, _ settings: Settings = Settings()) {
        self.directory = directory
        self.settings = settings
        sweep()
    }

    // MARK: Asking

    func begin(_ order: WhatIfOrder) -> WhatIfBeginning {
        let id = randomBytes(8).map { String(format: "%02x", $0) }.joined()
        let underway = runs.withLock { runs -> String? in
            if runs.isStopped { return "" }
            if let underway = runs.all.first(where: { $0.ending == nil }) { return underway.id }
            runs.all.append(Run(id: id))
            runs.all.removeFirst(max(0, runs.all.count - settings.kept))
            return nil
        }
        if let underway { return underway.isEmpty ? .unable(.stopping) : .busy(with: underway) }
        queue.async { self.carryOut(order, id) }
        return .begun(id: id)
    }

    func standing(of id: String) -> WhatIfStanding? {
        runs.withLock { runs in
            guard let run = runs.all.first(where: { $0.id == id }) else { return nil }
            return switch run.ending {
            case nil: .running(run.progress)
            case .done(let outcome)?: .done(outcome)
            case .failed(let problem)?: .failed(problem)
            }
        }
    }

    /// `false` where there is none of this name.
    func stop(_ id: String) -> Bool {
        let process = runs.withLock { runs -> pid_t?? in
            guard let place = runs.all.firstIndex(where: { $0.id == id }) else { return nil }
            defer { runs.all.remove(at: place) }
            return .some(runs.all[place].ending == nil ? runs.all[place].process : nil)
        }
        guard let process else { return false }
        if let process { kill(process, SIGTERM) }
        return true
    }

    /// The worker stops: so does what runs beside it.
    func stop() {
        let process = runs.withLock { runs -> pid_t? in
            runs.isStopped = true
            return runs.all.first { $0.ending == nil }?.process
        }
        if let process { kill(process, SIGTERM) }
    }

    /// Somebody was erased: no run names them any more, neither one that is over nor one that may still read of them (`E1`).
    func erase(_ user: String) {
        runs.withLock { runs in
            for place in runs.all.indices {
                if case .done(let outcome)? = runs.all[place].ending {
                    runs.all[place].ending = .done(outcome.without([user]))
                } else {
                    runs.all[place].erased.insert(user)
                }
            }
        }
    }

    // MARK: Carrying out

    private func carryOut(_ order: WhatIfOrder, _ id: String) {
        let process = Process()
        process.executableURL = settings.program
        process.arguments =
            [
                "what-if", "--policy", "-", "--json", "--progress", "--cores", "1", "--memory-max",
                "\(settings.memoryBytes >> 20)",
            ] + whichLog
            + (order.from.map { ["--from", "\($0)"] } ?? []) + (order.to.map { ["--to", "\($0)"] } ?? [])
        process.environment = environment
        defer { sweep() }
        let (given, told, complaints) = (Pipe(), Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = told
        process.standardError = complaints
        do { try process.run() } catch {
            return end(id, .failed("it could not be started: \((error as NSError).localizedDescription)"))
        }
        let words = ChildWords()
        words.begin(complaints)
        restrain(process.processIdentifier)
        let isWanted = runs.withLock { runs -> Bool in
            guard !runs.isStopped, let place = runs.all.firstIndex(where: { $0.id == id }) else { return false }
            runs.all[place].process = process.processIdentifier
            return true
        }
        if !isWanted { kill(process.processIdentifier, SIGTERM) }
        try? given.fileHandleForWriting.write(contentsOf: Data(order.policy.utf8))
        try? given.fileHandleForWriting.close()
        let last = follow(told.fileHandleForReading, id)
        process.waitUntilExit()
        if process.terminationStatus == 0, let outcome = last.flatMap(WhatIfOutcome.init(printed:)) {
            end(id, .done(outcome))
        } else {
            end(id, .failed(Self.problem(words.text, process)))
        }
    }

    private var whichLog: [String] {
        guard let database = settings.database else { return ["--data", directory] + settings.keyOptions }
        let option = ClusterOptions.postgres.name
        return settings.keyOptions.filter { !$0.hasPrefix("\(option)=") } + ["\(option)=\(database)"]
    }

    /// A cluster's logs are fetched beside the copy that is there: where they have room, and where what was left of a worker that
    /// was killed is found.
    private var environment: [String: String] {
        var all = ProcessInfo.processInfo.environment
        guard settings.database != nil else { return all }
        try? FileManager.default.createDirectory(atPath: fetched, withIntermediateDirectories: false)
        all["TMPDIR"] = fetched
        return all
    }

    private var fetched: String { "\(directory)/what-if" }

    /// Nothing of it is left.
    private func sweep() {
        if settings.database != nil { try? FileManager.default.removeItem(atPath: fetched) }
    }

    /// Behind everything else on the machine.
    private func restrain(_ process: pid_t) {
        #if os(Linux)
            setpriority(__priority_which_t(0), id_t(process), 19)
        #else
            setpriority(PRIO_PROCESS, id_t(process), 19)
        #endif
    }

    /// Hears how far it is, line by line. Returns the last line that is no progress.
    private func follow(_ told: FileHandle, _ id: String) -> JSONValue? {
        var (line, last): (Data, JSONValue?) = (Data(), nil)
        while let piece = try? told.read(upToCount: 1 << 16), !piece.isEmpty {
            line.append(piece)
            while let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                let value = JSONValue(parsing: String(decoding: line[..<end], as: UTF8.self))
                line = Data(line[(end + 1)...])
                guard case .number(let text)? = value?["progress"], let share = Double(text) else {
                    last = value
                    continue
                }
                runs.withLock { runs in
                    if let place = runs.all.firstIndex(where: { $0.id == id }) { runs.all[place].progress = share }
                }
            }
        }
        return last
    }

    private static func problem(_ words: String, _ process: Process) -> String {
        if process.terminationReason == .uncaughtSignal {
            return "it was stopped, or took more memory than it may have"
        }
        let first = words.split(separator: "\n").first.map(String.init) ?? "it ended with \(process.terminationStatus)"
        return first.hasPrefix("belfry: ") ? String(first.dropFirst("belfry: ".count)) : first
    }

    private func end(_ id: String, _ ending: Ending) {
        runs.withLock { runs in
            guard let place = runs.all.firstIndex(where: { $0.id == id }) else { return }
            let erased = runs.all[place].erased
            runs.all[place].ending =
                if case .done(let outcome) = ending, !erased.isEmpty { .done(outcome.without(erased)) } else { ending }
            runs.all[place].process = nil
            runs.all[place].erased = []
        }
    }
}

extension WhatIfOutcome {
    /// Without what it says of these people by name; they still count.
    func without(_ users: Set<String>) -> WhatIfOutcome {
        guard case .object(var members) = document else { return self }
        for place in members.indices {
            guard case .array(let rows) = members[place].value else { continue }
            members[place].value = .array(
                rows.filter { row in row["user"]?.string.map { !users.contains($0) } ?? true })
        }
        return WhatIfOutcome(.object(members))
    }
    /// Out of what `belfry what-if --json` prints.
    fileprivate init?(printed value: JSONValue) {
        func members(_ value: JSONValue, _ names: [String]) -> JSONValue {
            .object(names.compactMap { name in value[name].map { .init(name, $0) } })
        }
        guard let jobs = value["jobs"], case .array(let kinds)? = value["kinds"],
            case .array(let people)? = value["most_affected"], let examples = value["examples"],
            case .array(let refusals)? = value["refusals"],
            case .object(let totals) = members(jobs, ["gained", "lost", "moved"])
        else { return nil }
        self.init(
            .object(
                totals + [
                    .init(
                        "kinds", .array(kinds.map { members($0, ["kind", "gained", "lost", "moved", "same"]) })),
                    .init("people", .array(people.map { members($0, ["user", "gained", "lost", "moved"]) })),
                    .init("affected", value["affected"] ?? .null), .init("examples", examples),
                    .init("from", value["from"] ?? .null), .init("to", value["to"] ?? .null),
                    .init("refused", value["refused"] ?? .null),
                    // Without the problems' words, which may name a person's goal or job.
                    .init(
                        "refusals",
                        .array(refusals.map { members($0, ["type", "kind", "count", "first", "partition"]) })),
                ]))
    }
}
