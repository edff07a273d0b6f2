import CivilTime
import Console
import Journal
import Notices

/// A place in the log as `--at`, `--from` and `--to` name it: an event's number or an instant.
enum LogPlace: CustomStringConvertible {
    case seq(UInt64)
    case instant(Instant)

    init(_ word: String, _ option: CommandSpec.Option, _ spec: CommandSpec) throws(Failure) {
        if let seq = UInt64(word) {
            self = .seq(seq)
        } else if let instant = try? Instant(rfc3339: word) {
            self = .instant(instant)
        } else {
            throw .usage(
                "\(option.name) takes an event number or an instant such as 2026-03-02T14:00:00Z, not \"\(word)\"", spec
            )
        }
    }

    var description: String {
        switch self {
        case .seq(let seq): "\(seq)"
        case .instant(let instant): "\(instant)"
        }
    }

    /// Whether it lies before another; `nil` for a number and an instant, of which only a log can tell.
    func isBefore(_ other: LogPlace) -> Bool? {
        switch (self, other) {
        case (.seq(let seq), .seq(let other)): seq < other
        case (.instant(let instant), .instant(let other)): instant < other
        case (.seq, .instant), (.instant, .seq): nil
        }
    }

    func isBefore(_ event: Event) -> Bool {
        switch self {
        case .seq(let seq): seq < event.seq
        case .instant(let instant): instant < event.at
        }
    }

    func isAfter(_ event: Event) -> Bool {
        switch self {
        case .seq(let seq): seq > event.seq
        case .instant(let instant): instant > event.at
        }
    }
}

extension LogPlace {
    /// Whether a log that ends there does not come to it.
    func isBehind(_ end: LogHead) -> Bool {
        switch self {
        case .seq(let seq): seq > end.lastSeq
        case .instant(let instant): instant > end.at
        }
    }
}

extension Question.Moment {
    /// Where the option is not given, the end.
    init(_ arguments: Arguments, _ option: CommandSpec.Option, _ spec: CommandSpec) throws(Failure) {
        guard let word = arguments[option] else {
            self = .end
            return
        }
        switch try LogPlace(word, option, spec) {
        case .seq(let seq): self = .seq(seq)
        case .instant(let instant): self = .instant(instant)
        }
    }

    func holds(_ event: Event) -> Bool { holds(event.seq, event.at) }

    /// Whether everything up to the end of a commit is asked for.
    func holds(_ head: LogHead) -> Bool { holds(head.lastSeq, head.at) }

    private func holds(_ seq: UInt64, _ at: Instant) -> Bool {
        switch self {
        case .end: true
        case .seq(let last): seq <= last
        case .instant(let last): at <= last
        }
    }
}
