public import CivilTime
public import Notices

/// One line of a person's history: a notice that came to them, waits or was withheld, and what became of it.
public struct HistoryEntry: Sendable {
    public enum State: Sendable, Equatable {
        /// Asked for, and nobody has decided about it: it was appended while no worker ran.
        case undecided
        case held(until: Instant, Reason)
        case gathered(into: String, Reason)
        case dropped(Reason)
        /// Slots that raised no notice, as they were recorded: first and last in local time.
        case skipped(Reason, first: String, last: String, count: Int)
        case emitted
    }

    /// One thing that was said of the job since it left: each try, and each report (`N3`).
    public struct Outcome: Sendable, Equatable {
        public enum Word: Sendable, Equatable {
            /// The provider or sink took it.
            case sent
            case failed(String, isPermanent: Bool)
            /// With the channels that it is tried on instead (`N4`).
            case reported(ReportStatus, code: String?, isPermanent: Bool?, device: String?, givesWayTo: [Channel])
            /// It was asked for once more (`N7`).
            case retried
        }

        public var at: Instant
        /// `nil` for what is about all of them.
        public var channel: Channel?
        public var word: Word
        public var providerID: String?
    }

    /// What the person did with it.
    public struct Answer: Sendable, Equatable {
        public enum Act: Sendable, Equatable {
            case opened, dismissed
            case snoozed(minutes: Int)
            case judged(isHelpful: Bool)
        }

        public var at: Instant
        public var act: Act
    }

    /// A notice that went out in this one's job: in a digest or a bundle.
    public struct Part: Sendable, Equatable {
        public var notice: String
        public var kind: String
        public var subject: String?
        public var title: String?
    }

    /// The notice's own name, and that of its job.
    public let name: String
    public let kind: String
    public internal(set) var subject: String?
    public internal(set) var title: String?
    /// With the title, the text that was shown.
    public internal(set) var body: String?
    /// Who wrote the message that it tells of.
    public internal(set) var sender: String?
    public internal(set) var raisedAt: Instant
    /// When what is said of it was last decided; `raisedAt` where nothing was.
    public internal(set) var decidedAt: Instant
    public internal(set) var state: State
    /// Of what was dropped, the digest that was dropped for it and took this along (`D2`).
    public internal(set) var takenAlongBy: String?
    public internal(set) var channels: [Channel] = []
    /// A sample that somebody asked for (`N8`).
    public internal(set) var isTest = false
    public internal(set) var parts: [Part] = []
    public internal(set) var outcomes: [Outcome] = []
    var standing = JobStanding()
    public internal(set) var answers: [Answer] = []
    /// Its place among those of the same instant.
    let order: Int

    public var status: HistoryQuery.Status {
        switch state {
        case .undecided, .held, .gathered: .queued
        case .dropped, .skipped: .blocked
        case .emitted: standing.status
        }
    }

    /// Whether it reached the person on all channels of which anything was told, by what was reported last to have happened.
    public var isDelivered: Bool {
        status == .delivered && !Channel.allCases.contains { standing.status(on: $0) == .failed }
    }

    /// The channels of a job on which it is still tried, as far as the log says.
    public var silent: [Channel] { channels.filter { standing.status(on: $0) == .queued } }

    /// Whether it will still be decided about.
    public var isWaiting: Bool {
        switch state {
        case .undecided, .held, .gathered: true
        case .dropped, .skipped, .emitted: false
        }
    }

    /// The moment it stands under in a history: what waits when it was raised, what ended when it ended.
    public var shownAt: Instant { isWaiting ? raisedAt : decidedAt }
}
