public import CivilTime

/// Which person a fact is about, of all who had its id one after the other: whoever is erased may be followed by somebody new
/// (`E4`), and a link or a report that was meant for the one must do nothing to the other.
///
/// It is asked when the fact is taken, and not recorded.
public enum Addressee: Sendable, Equatable {
    /// Whoever had the id at that instant.
    case known(at: Instant)
    /// Whoever this job was emitted for, in the last 7 days.
    case had(job: NoticeName)
    /// Whoever has it, if nobody who had it before can have been erased: for what says nothing of its time.
    case onlyOne

    /// What is said of a fact whose person is not there any more.
    public static let refusal = FieldError(path: "user", "is not the person that this was meant for")

    /// What is said of a fact that switches off what is off already.
    public static let nothingToSwitchOff = FieldError(path: "channel", "is off already")

    /// Whether a refusal, as another worker passes it on too, says so.
    public static func isOffAlready(_ problem: FieldError) -> Bool { "\(problem)".hasSuffix("\(nothingToSwitchOff)") }

    /// Whether a refusal, as another worker passes it on too, is this one.
    public static func isRefusal(_ problem: FieldError) -> Bool { "\(problem)".hasSuffix("\(refusal)") }
}

/// For a worker that passes it on.
extension Addressee {
    public var text: String {
        switch self {
        case .known(let instant): "at=\(instant.milliseconds)"
        case .had(let job): "job=\(job.text)"
        case .onlyOne: "one="
        }
    }

    public init?(_ text: String) {
        let rest = String(text.dropFirst(4))
        if text.hasPrefix("at="), let milliseconds = Int64(text.dropFirst(3)) {
            self = .known(at: Instant(milliseconds: milliseconds))
        } else if text.hasPrefix("job="), NoticeName.isAccepted(rest) {
            self = .had(job: NoticeName(rest))
        } else if text == "one=" {
            self = .onlyOne
        } else {
            return nil
        }
    }
}

extension Register {
    /// Why a fact is not about whoever has its id now; `nil` if it is.
    public func problem(with addressee: Addressee, number: Int?, about user: String, at now: Instant) -> FieldError? {
        guard let number, !self[number].isErased else { return Addressee.refusal }
        let isMeant =
            switch addressee {
            case .known(let instant): self[number].enrolledAt <= instant
            case .had(let job): self[number].job(named: job.text, on: Occasion(0, now, user: user, plan)) != nil
            // Numbers are given in the order in which people come.
            case .onlyOne: !(0..<number).contains { names.isErased(UInt32($0)) }
            }
        return isMeant ? nil : Addressee.refusal
    }

    /// Why a fact that says whom it is about is not to be recorded: a link is pressed twice, and what it stops is stopped. `nil` for
    /// one that changes something.
    public func problem(withChange fact: Payload, number: Int?) -> FieldError? {
        guard let number, case .unsubscribed(let word) = fact, self[number].isOff(word, plan.rules) else { return nil }
        return Addressee.nothingToSwitchOff
    }

    /// `N3`, `N6`: why what a provider tells of somebody who left its list is not to be recorded: they said so before they asked for mail
    /// again, or gave another address. To tell the same address once more is neither. `nil` for what stands, and for what says nothing of
    /// its time.
    public func problem(withReport fact: Fact, number: Int?) -> FieldError? {
        guard let number, let at = fact.at, case .unsubscribed(let word) = fact.payload, word.channel == .email,
            word.how == .stop
        else { return nil }
        let asked = self[number].details.emailWantedSince
        // Many providers tell whole seconds. In doubt it stands.
        let precision: Int64 = at.milliseconds.isMultiple(of: 1000) ? 1000 : 1
        guard at.advanced(byMilliseconds: precision) <= asked else { return nil }
        return FieldError(path: "channel", "was asked for again since")
    }
}
