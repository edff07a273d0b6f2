import CivilTime
import Journal
import Notices
import Worker

/// What the commands about one person share: whom, as of when, and their story out of the log.
enum PersonCommands {
    static let user = CommandSpec.Option(name: "--user", value: "U", help: "whom it is about")
    static let at = CommandSpec.Option(
        name: "--at", value: "T|SEQ", help: "as of an instant or an event's number (default: the end of the log)")

    /// As of which place in the log, included.
    enum Moment {
        case end
        case seq(UInt64)
        case instant(Instant)

        init(_ word: String?, _ spec: CommandSpec) throws(Failure) {
            guard let word else {
                self = .end
                return
            }
            if let seq = UInt64(word) {
                self = .seq(seq)
            } else if let instant = try? Instant(rfc3339: word) {
                self = .instant(instant)
            } else {
                throw .usage(
                    "--at takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"\(word)\"", spec)
            }
        }

        func holds(_ event: Event) -> Bool {
            switch self {
            case .end: true
            case .seq(let seq): event.seq <= seq
            case .instant(let instant): event.at <= instant
            }
        }
    }

    static func user(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) -> String {
        guard let user = arguments[Self.user] else { throw .usage("\(spec.name) needs --user", spec) }
        return user
    }

    /// The person's story up to a moment, event by event, and the instant that this moment is.
    ///
    /// Only their own chain is read and the few commits about everyone, so it costs what that person has.
    static func tell(
        _ user: String, until moment: Moment, _ arguments: Arguments, _ world: World,
        _ each: (Event, Biography) -> Void = { _, _ in }
    ) throws(Failure) -> (biography: Biography, now: Instant) {
        let zones = try world.zones()
        let log = try world.log(arguments)
        do throws(JournalError) {
            let index = try log.index()
            guard let trail = PersonTrail(log, index, user: user) else { throw .noLog(directory: "") }
            var biography = Biography(of: user, Plan(standard, zone: { try? zones.zone(named: $0) }))
            let now = try instant(of: moment, in: log, index)
            for position in try trail.wholeStory() {
                for event in try trail.storyEvents(at: position) {
                    guard moment.holds(event) else { return (biography, now) }
                    each(event, biography)
                    biography.take(event)
                }
            }
            return (biography, now)
        } catch {
            if case .noLog("") = error {
                throw Failure(.badInput, "the log holds nothing about \"\(user)\"; `belfry log` shows whom it knows")
            }
            throw Failure(error)
        }
    }

    /// An event's number stands for the instant of that event, whomever it is about.
    private static func instant(
        of moment: Moment, in log: LogReader, _ index: LogIndex
    ) throws(JournalError) -> Instant {
        switch moment {
        case .instant(let instant): return instant
        case .seq(let seq) where seq < index.head.lastSeq:
            let start = log.head(before: seq)
            let events = EventReader(log, from: start, people: start == .start ? nil : index.people)
            while let event = try events.next() {
                if event.seq >= seq { return event.at }
            }
            return index.head.at
        case .seq, .end: return index.head.at
        }
    }

    /// In force until a log adopts its first policy.
    static var standard: Rulebook {
        guard let text = ShippedPolicies.text(of: "standard"), let policy = try? Policy(document: text) else {
            preconditionFailure("the shipped standard policy cannot be read")
        }
        return Rulebook(policy)
    }
}

extension Instant {
    /// As a support person would read it: on the person's own clock, with the zone.
    func told(in zone: ZoneRules) -> String {
        let local = zone.local(at: self)
        return "\(local.date.weekday.name) \(local.date) \(local.time) (\(zone.name); \(self))"
    }
}
