public import CivilTime

/// Something that happened outside and was told to Belfry (SPEC §2), checked and not yet recorded.
public struct Fact: Sendable, Equatable {
    public var user: String?
    public var id: String?
    /// The instant the sender gave: the clock when importing, `occurred_at` when live.
    public var at: Instant?
    /// The trace of the request that told it (`N11`).
    public var trace: TraceParent?
    public var payload: Payload
    /// Which of those who had the id; `nil` for whoever has it, or comes with it now.
    public var addressee: Addressee?
    /// Told by the person themselves through their door (`V2`), which lets them ask only so often for what costs money.
    public var isTheirOwn = false

    public init(
        user: String? = nil, id: String? = nil, at: Instant? = nil, trace: TraceParent? = nil, payload: Payload
    ) {
        self.user = user
        self.id = id
        self.at = at
        self.trace = trace
        self.payload = payload
    }
}

/// Why a line was refused: not JSON, or a value that is not allowed. Nothing of it is applied.
public enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    case notJSON(JSONError)
    case field(FieldError)

    public var description: String {
        switch self {
        case .notJSON(let error): "not JSON: \(error)"
        case .field(let error): "\(error)"
        }
    }
}

/// Reads facts, one JSON object a line. Keeps its tape between lines, so it serves one reader at a time.
public final class FactReader {
    private let tape: JSONTape
    private let zoneProblem: (String) -> String?
    /// What the last line said it was, also where it was refused; `nil` where that is no type of fact.
    public private(set) var lastType: RecordType?

    /// - Parameter zoneProblem: what is wrong with a zone's name, `nil` for one that the tz database has (`G6`: an unknown
    ///   zone never means "send").
    public init(limits: JSONLimits = JSONLimits(), zoneProblem: @escaping (String) -> String?) {
        tape = JSONTape(limits: limits)
        self.zoneProblem = zoneProblem
    }

    public func read(_ line: UnsafeRawBufferPointer) throws(Refusal) -> Fact {
        lastType = nil
        let root: JSONNode
        do { root = try tape.parse(line) } catch { throw .notJSON(error) }
        do { return try fact(root) } catch { throw .field(error) }
    }

    public func read(_ line: String) throws(Refusal) -> Fact {
        try Array(line.utf8).withUnsafeBufferPointer { (utf8) throws(Refusal) in
            try read(UnsafeRawBufferPointer(utf8))
        }
    }

    private func fact(_ root: JSONNode) throws(FieldError) -> Fact {
        // What it is instead is not shown: it might be a message's text (`A1`).
        guard root.isObject else { throw FieldError("a fact is a JSON object") }
        let empty = try emptyPayload(root.member("type"))
        lastType = empty.type
        var user: Identifier?
        var id: Identifier?
        var at: Instant?
        var data: JSONNode?
        for member in root.members {
            if member.keyEquals("type") {
                continue
            } else if member.keyEquals("user") {
                do { try user.readJSON(member.value, .none) } catch { throw error.under("user") }
            } else if member.keyEquals("id") {
                do { try id.readJSON(member.value, .none) } catch { throw error.under("id") }
            } else if member.keyEquals("at") {
                do { try at.readJSON(member.value, .none) } catch { throw error.under("at") }
            } else if member.keyEquals("data") {
                data = member.value.isNull ? nil : member.value
            } else {
                throw FieldError(
                    path: quoted(member.key), "is not a field of a fact (known here: type, user, at, id, data)")
            }
        }
        let payload: Payload
        do { payload = try Payload.read(empty, data, from: .sender) } catch { throw error.under("data") }
        return try aboutSomeone(Fact(user: user?.text, id: id?.text, at: at, payload: payload))
    }

    private func emptyPayload(_ type: JSONNode?) throws(FieldError) -> Payload {
        guard let type else {
            throw FieldError(path: "type", "is missing; it says what happened, such as user_enrolled")
        }
        guard let name = type.string else { throw FieldError(path: "type", "\(type.shown) is not a text") }
        let utf8 = Array(name.utf8)
        if let payload = utf8.withUnsafeBytes(RecordNames.find) {
            if payload.isErasure {
                throw FieldError(path: "type", "\(quoted(name)) is recorded by `belfry erase` and by nobody else")
            }
            if payload.type.side == .fact { return payload }
            throw FieldError(path: "type", "\(quoted(name)) is a decision; only Belfry itself records those")
        }
        let hint = RecordNames.nearest(to: name, side: .fact).map { "; did you mean \($0)?" } ?? ""
        throw FieldError(path: "type", "\(quoted(name)) is not a type of fact\(hint)")
    }

    private func aboutSomeone(_ fact: Fact) throws(FieldError) -> Fact {
        var fact = fact
        if case .runRequested(let request) = fact.payload, let inner = request.user {
            guard fact.user == nil || fact.user == inner.text else {
                throw FieldError(
                    path: "data.user", "\(quoted(inner.text)) is not the fact's user \(quoted(fact.user ?? ""))")
            }
            fact.user = inner.text
        }
        if fact.payload.type.isAboutPerson {
            guard fact.user != nil else {
                throw FieldError(path: "user", "is missing; it must be \(Identifier.allowed)")
            }
        } else if case .policyAdopted = fact.payload, fact.user != nil {
            throw FieldError(path: "user", "a policy is for everyone; leave the user out")
        }
        if let zone = fact.payload.zone, let problem = zoneProblem(zone.name) {
            throw FieldError(path: zone.path, problem)
        }
        return fact
    }
}

extension Payload {
    /// The time zone a fact names, and where it stands in it.
    fileprivate var zone: (name: String, path: String)? {
        switch self {
        case .userEnrolled(let record): (record.timezone.text, "data.timezone")
        case .timezoneChanged(let record): (record.timezone.text, "data.timezone")
        case .preferencesChanged(let record): record.patch.timezone.map { ($0, "data.patch.timezone") }
        case .policyAdopted, .consentGiven, .consentWithdrawn, .pushPermissionChanged, .presetApplied,
            .preferencesReset, .deviceRegistered, .deviceRemoved, .phoneVerificationRequested,
            .phoneCodeEntered, .appOpened, .appClosed, .conversationOpened, .conversationClosed, .messagesRead,
            .messageReceived, .messageSent, .sessionCompleted, .checkedIn, .pointsEarned, .goalStarted,
            .goalChanged, .goalEnded, .noticeRequested, .analysisAnswered, .analysisFailed, .jobDelivered,
            .jobFailed, .noticeOpened, .noticeDismissed, .noticeSnoozed, .feedbackGiven, .historyCleared,
            .runRequested, .deliveryReported, .jobRetryRequested, .testRequested, .unsubscribed, .feedSeen,
            .subjectNamed, .contactChanged, .personErased, .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped,
            .jobEmitted,
            .analysisRequested, .analysisConcluded, .phoneVerified, .phoneLocked, .workerStarted,
            .partitionTaken, .policyApplied, .textsErased:
            nil
        }
    }

}
