public import CivilTime

/// How often somebody may ask for what costs money or rings: so often within an hour, and so often within a day (`G11`).
public struct Allowance: Sendable {
    public let hourly: Int
    public let daily: Int

    /// Codes for phones. Each is a text that is paid for, and somebody may ask for it to any number.
    public static let codes = Allowance(hourly: 5, daily: 10)
    /// Samples that a person asks for through their own door (`N8`).
    public static let tests = Allowance(hourly: 10, daily: 30)

    /// Test runs of the analyser that a person asks for through their own door (`A7`). Each is a call that may be paid for.
    public static let trials = Allowance(hourly: 10, daily: 30)

    /// From when on it may be asked for again; `nil` where it may be asked for now.
    /// - Parameter asked: when it was asked for, the latest last. Of more than `daily`, the rest does not matter.
    public func opens(after asked: some BidirectionalCollection<Instant>, at now: Instant) -> Instant? {
        let latest = Array(asked.suffix(daily))
        var opens = Instant.distantPast
        if latest.count >= hourly { opens = latest[latest.count - hourly].advanced(byHours: 1) }
        if latest.count >= daily { opens = max(opens, latest[latest.count - daily].advanced(byDays: 1)) }
        return now < opens ? opens : nil
    }

    func words(_ what: String, opening opens: Instant) -> String {
        "somebody may ask for \(hourly) \(what) an hour and \(daily) a day; ask again at \(opens)"
    }
}

extension PhoneState {
    /// From when on another code may be asked for, where too many were (`G11`).
    public func codesOpen(at now: Instant) -> Instant? { Allowance.codes.opens(after: codesAsked, at: now) }

    public mutating func asked(at now: Instant) {
        codesAsked.append(now)
        codesAsked.removeFirst(max(0, codesAsked.count - Allowance.codes.daily))
    }
}

extension Person {
    /// From when on they may ask for another sample, where too many were sent.
    func testsOpen(at now: Instant) -> Instant? {
        Allowance.tests.opens(after: marks.filter { $0.flags.contains(.test) }.map(\.at), at: now)
    }
}

extension Register {
    /// Why a fact that a person tells through their own door is not taken now. The app may tell it as often as it likes.
    public func excess(of fact: Fact, at now: Instant) -> FieldError? {
        guard fact.isTheirOwn, let user = fact.user, let number = number(of: user) else { return nil }
        if case .testRequested = fact.payload, let opens = self[number].testsOpen(at: now) {
            return FieldError(Allowance.tests.words("tests", opening: opens), opens: opens)
        }
        if case .phoneVerificationRequested = fact.payload, let opens = self[number].details.phone.codesOpen(at: now) {
            return FieldError(path: "data.phone", Allowance.codes.words("codes", opening: opens), opens: opens)
        }
        return nil
    }
}
