import CivilTime
import Delivery
import Journal
import Notices
import Synchronization
import Worker

/// Something that is wrong with a worker and stays so until somebody, or time, mends it: shown for as long as it lasts (runbook,
/// "Troubles").
struct Trouble: Sendable, Equatable {
    enum What: String, CaseIterable, Sendable {
        /// What was decided does not come to the disk, or to the database.
        case unwritten
        /// Recorded time is ahead of the machine's clock (`T7`).
        case clockBehind = "clock_behind"
        /// People live in zones that nobody here knows (`G6`).
        case unknownZones = "unknown_zones"
        /// The log behind the worker could not be checked.
        case unchecked
        /// Somebody was erased and can still be read in a snapshot (`E1`).
        case notErased = "not_erased"
        /// A file that was read again is not in force: the next start will refuse it.
        case fileRefused = "file_refused"
        /// A sink or sender answers nothing of what was given to it.
        case sinkSilent = "sink_silent"
        /// Jobs could not be read from the log, and wait for the next start.
        case jobsUnread = "jobs_unread"
        /// Who was signed out meanwhile is not known, so no person is let in (`E1`, `V2`).
        case personsShutOut = "persons_shut_out"
    }

    var what: What
    /// A sentence.
    var words: String

    init(_ what: What, _ words: String) { (self.what, self.words) = (what, words) }

    static func lasting(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }

    var document: JSONValue { .object([.init("what", .string(what.rawValue)), .init("words", .string(words))]) }

    /// As another worker tells it; `nil` for what only a newer one knows.
    init?(_ document: JSONValue) {
        guard let what = document["what"]?.string.flatMap({ What(rawValue: $0) }), let words = document["words"]?.string
        else { return nil }
        self.init(what, words)
    }
}

extension CarrierStanding {
    /// Longer than any call to a provider may take.
    private static let patience: Int64 = 120

    /// One that answers nothing, such as a reader of standard output that stands still, or a spool's disk.
    func silence(at now: Instant) -> Trouble? {
        guard let since = silentSince else { return nil }
        let seconds = now.milliseconds(since: since) / 1000
        guard seconds >= Self.patience else { return nil }
        return Trouble(
            .sinkSilent, "\(name) has answered nothing for \(Trouble.lasting(seconds)), though jobs were given to it")
    }
}

/// What became of the last reading of a file that is read again while the worker runs.
final class FileReading: Sendable {
    private let refused = Mutex<String?>(nil)

    /// - Parameter problem: why what it says is not in force; `nil` where it is.
    func ended(_ problem: String?) { refused.withLock { $0 = problem } }

    var trouble: Trouble? { refused.withLock { $0 }.map { Trouble(.fileRefused, $0) } }
}

/// How long a batch may be on its way before it is told.
enum WritePatience: Int {
    /// Longer than a disk or a database takes that is well.
    case usual = 10
    /// Nobody is sent here any more who could be served elsewhere.
    case ready = 30

    /// For how many seconds nothing has come to the disk that was to be there; `nil` while that is not for long.
    ///
    /// - Parameter start: since when a batch has been on its way.
    func seconds(since start: ContinuousClock.Instant?, by now: ContinuousClock.Instant) -> Int64? {
        guard let start, now - start >= .seconds(rawValue) else { return nil }
        return (now - start).components.seconds
    }
}

extension RunningLog {
    /// What is wrong with this log. Waits for nothing.
    func troubles(at clock: Instant) -> [Trouble] {
        let (standing, now) = (worker.standing, ContinuousClock.now)
        var troubles: [Trouble] = []
        if let seconds = WritePatience.usual.seconds(since: standing.writingSince, by: now) {
            troubles.append(Trouble(.unwritten, "\(whose) has waited for \(Trouble.lasting(seconds)) to be written"))
        }
        let lead = standing.durable.at.milliseconds(since: clock) / 1000
        if standing.durable.position > 0, lead >= ClockLead.leastSeconds {
            troubles.append(
                Trouble(
                    .clockBehind,
                    "recorded time of \(whose) is \(Trouble.lasting(lead)) ahead of the clock, and nothing comes before"
                ))
        }
        if let words = unknownZones.words { troubles.append(Trouble(.unknownZones, words)) }
        if let problem = patrol.standing.problem {
            troubles.append(Trouble(.unchecked, "\(whose) could not be checked: \(problem)"))
        }
        if let pending = erasurePending, now - pending.since >= Self.erasurePatience {
            let why = pending.problem.map { ": \($0)" } ?? ""
            troubles.append(
                Trouble(
                    .notErased,
                    "who was erased \(Trouble.lasting((now - pending.since).components.seconds)) ago can still be read in the snapshots of \(whose)\(why)"
                ))
        }
        return troubles
    }

    /// What was erased is gone within a minute; a large log may take some.
    private static let erasurePatience = Duration.seconds(300)

    private var whose: String { name.number.map { "the log of partition \($0)" } ?? "the log" }
}

/// Zones of people that the tz database does not know, as a log was opened.
struct UnknownZones: Sendable {
    let people: Int
    let names: [String]

    private static let namesMax = 5

    init(_ zones: [String: Int]) {
        people = zones.values.reduce(0, +)
        names = zones.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }

    /// `nil` where there are none.
    var words: String? {
        guard people > 0 else { return nil }
        let more = names.count > Self.namesMax ? " and \(names.count - Self.namesMax) more" : ""
        let many = people == 1 ? "1 person lives" : "\(people) people live"
        return
            "\(many) in zones that this machine's tz database does not know (\(names.prefix(Self.namesMax).joined(separator: ", "))\(more)): nothing is sent to them. Install tzdata-legacy, or a newer tzdata, and start the worker again"
    }
}
