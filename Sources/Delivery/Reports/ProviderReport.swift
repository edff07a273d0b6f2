public import CivilTime
public import Notices

/// What a provider says of a job after it took it (`N3`): the fact `delivery_reported`, or an unsubscription, before
/// it is known whose job it is.
public struct ProviderReport: Sendable, Equatable {
    public enum Status: String, Sendable, CaseIterable {
        case delivered, bounced, failed, expired, complained
        /// The person told the provider that they want no more (`N6`).
        case unsubscribed
        /// They took that back, by the same way.
        case resubscribed
    }

    public enum Job: Sendable, Equatable {
        /// By the token that went out with it.
        case place(JobPlace)
        /// By its id, as a gateway of one's own knows it.
        case named(String)
        /// None: whoever has this number said it in a text of their own.
        case saidFrom(number: String)
    }

    /// The provider's own name for the event: reports come twice, and this makes them one fact.
    public var id: String
    /// Which job it is about; `nil` where the report names none of ours.
    public var job: Job?
    /// What the provider called the job when it took it.
    public var providerID: String?
    public var status: Status
    /// Whether the address is of no use any more.
    public var isPermanent = false
    /// Whether it came to nothing because the person told the provider that they want no more.
    public var isStopped = false
    /// The provider's code, never its words.
    public var code: String?
    /// When it happened, where the provider says so: reports come out of order.
    public var at: Instant?
    /// The channel that it is about, where the provider serves several.
    public var channel: Channel?

    static let codeBytesMax = 256

    /// A provider's code as it is recorded: its first word, as much of it as there is room for. What it says of an address
    /// must not be lost because it says it at length.
    static func code(_ text: String?) -> String? {
        let word = text?.utf8.drop { $0 <= 0x20 }.prefix { $0 > 0x20 && $0 < 0x7F }.prefix(codeBytesMax)
        return word.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
    }
}

/// A report as received: nothing in it is believed before its signature is checked.
public struct IncomingReport: Sendable {
    /// What follows the host, as the provider asked for it.
    public var target: String
    public var headers: AnswerHeaders
    public var body: [UInt8]

    /// - Parameter headers: in the order they came.
    public init(target: String, headers: [(name: String, value: String)], body: [UInt8]) {
        var lines = AnswerHeaders()
        for (name, value) in headers { lines.add(name: name, value: value) }
        self.init(target: target, headers: lines, body: body)
    }

    public init(target: String, headers: AnswerHeaders, body: [UInt8]) {
        (self.target, self.headers, self.body) = (target, headers, body)
    }

    /// Nobody's report is longer.
    public static let bytesMax = 1 << 20
    /// How far a signed time may lie from now: an old report that somebody kept is none.
    static let toleranceSeconds: Int64 = 300

    /// A time in seconds that a provider signed with its report.
    static func isRecent(_ seconds: String, at now: Instant) -> Bool {
        guard let seconds = Int64(seconds), seconds.magnitude < 1 << 40 else { return false }
        return abs(seconds - now.wholeSeconds) <= toleranceSeconds
    }
}

/// Why a report is not believed. It does not say what was expected.
public enum ReportRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    case unsigned
    case wrongSignature
    case outOfTime
    case malformed
    /// The provider's, and one of its fields is not as it must be.
    case field(FieldError)

    public var description: String {
        switch self {
        case .unsigned: "the report is not signed"
        case .wrongSignature: "the report's signature is not the provider's for these bytes"
        case .outOfTime: "the report's signature is more than five minutes old, or from the future"
        case .malformed: "the report is signed, and not what its provider sends"
        case .field(let error): "\(error)"
        }
    }
}
