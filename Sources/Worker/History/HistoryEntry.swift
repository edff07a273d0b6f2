package import CivilTime
package import Notices

/// One line of a person's history: a notice that came to them, waits or was withheld, and what became of it.
package struct HistoryEntry: Sendable {
    package enum State: Sendable, Equatable {
        /// Asked for, and nobody has decided about it: it was appended while no worker ran.
        case undecided
        case held(until: Instant, Reason)
        case gathered(into: String, Reason)
        case dropped(Reason)
        /// Slots that raised no notice, as they were recorded: first and last in local time.
        case skipped(Reason, first: String, last: String, count: Int)
        case emitted
    }

    /// What became of the job on one channel.
    package struct Outcome: Sendable, Equatable {
        package var at: Instant
        package var channel: Channel
        /// Why it failed; `nil` where it was delivered.
        package var failure: String?
    }

    /// What the person did with it.
    package struct Answer: Sendable, Equatable {
        package enum Act: Sendable, Equatable {
            case opened, dismissed
            case snoozed(minutes: Int)
            case judged(isHelpful: Bool)
        }

        package var at: Instant
        package var act: Act
    }

    /// A notice that went out in this one's job, be it a digest or a bundle.
    package struct Part: Sendable, Equatable {
        package var notice: String
        package var kind: String
        package var subject: String?
        package var title: String?
    }

    /// The notice's own name, and that of its job.
    package let name: String
    package let kind: String
    package internal(set) var subject: String?
    package internal(set) var title: String?
    package internal(set) var raisedAt: Instant
    /// When what is said of it was last decided; `raisedAt` where nothing was.
    package internal(set) var decidedAt: Instant
    package internal(set) var state: State
    package internal(set) var channels: [Channel] = []
    package internal(set) var parts: [Part] = []
    package internal(set) var outcomes: [Outcome] = []
    package internal(set) var answers: [Answer] = []
    /// Its place among those of the same instant.
    let order: Int

    package var status: HistoryQuery.Status {
        switch state {
        case .undecided, .held, .gathered: .queued
        case .dropped, .skipped: .blocked
        case .emitted:
            // One channel that got through is enough; a failure before it was only a try.
            if outcomes.contains(where: { $0.failure == nil }) {
                .delivered
            } else {
                outcomes.isEmpty ? .queued : .failed
            }
        }
    }

    /// Whether it will still be decided about.
    package var isWaiting: Bool {
        switch state {
        case .undecided, .held, .gathered: true
        case .dropped, .skipped, .emitted: false
        }
    }

    /// The moment it stands under in a history: what waits when it was raised, what ended when it ended.
    package var shownAt: Instant { isWaiting ? raisedAt : decidedAt }
}
