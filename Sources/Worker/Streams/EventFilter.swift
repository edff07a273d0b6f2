internal import Notices

/// Which events somebody follows.
public struct EventFilter: Hashable, Sendable {
    /// By the numbers of their types; empty for all.
    public var types: Set<Int>
    /// Only those about this person.
    public var user: String?
    /// Only those about the one of that id whom the log gave this number: once they are erased, the next of their id is
    /// somebody else (`E4`). Without it whoever bears the id is followed.
    public var number: UInt32?

    public init(types: Set<Int> = [], user: String? = nil, number: UInt32? = nil) {
        precondition(number == nil || user != nil, "a number without an id")
        self.types = types
        self.user = user
        self.number = number
    }

    /// Whose number is to be asked for.
    var sought: String? { number == nil ? user : nil }

    func wants(type: Int) -> Bool { types.isEmpty || types.contains(type) }
}

/// How events are given to those who follow them.
public enum EventForm: Hashable, Sendable {
    /// As `log` prints them, one a line.
    case lines
    /// As server-sent events: `id` is the event's number, `event` its type.
    case serverSent
    /// As they are, for whoever makes something else of them.
    case whole
}

/// A stretch of what somebody follows: every event of theirs behind the last one of the piece before it, up to `lastSeq`.
struct EventPiece: Sendable {
    /// The first event in it.
    private(set) var firstSeq: UInt64 = 0
    /// The last event in it.
    private(set) var lastSeq: UInt64 = 0
    private(set) var count = 0
    private(set) var bytes: [UInt8] = []
    private(set) var events: [Event] = []
    /// Somebody has it, so nothing more is added.
    var isSealed = false
    /// It is added to no other piece: what comes before it is let go of.
    let beginsAnew: Bool

    init(beginsAnew: Bool = false) { self.beginsAnew = beginsAnew }

    /// As much as goes into one piece; a larger event has one of its own.
    static let bytesMax = 32 << 10

    var isEmpty: Bool { count == 0 }
    /// About what it takes to keep.
    var size: Int { bytes.count + 512 * events.count }
    var isFull: Bool { isSealed || size >= Self.bytesMax }

    mutating func add(_ next: EventPiece) {
        lastSeq = next.lastSeq
        count += next.count
        bytes += next.bytes
        events += next.events
    }

    /// - Parameter json: the event as `log` prints it; rendered once for all who follow it.
    mutating func add(_ event: Event, json: borrowing ByteBuffer, as form: EventForm) {
        if isEmpty { firstSeq = event.seq }
        lastSeq = event.seq
        count += 1
        switch form {
        case .lines:
            bytes.append(contentsOf: json.bytes)
            bytes.append(0x0A)
        case .serverSent:
            bytes.append(contentsOf: "id: \(event.seq)\nevent: \(event.payload.type.name)\ndata: ".utf8)
            bytes.append(contentsOf: json.bytes)
            bytes.append(contentsOf: "\n\n".utf8)
        case .whole: events.append(event)
        }
    }
}
