public import CivilTime
public import Notices

/// One event as it stands in a commit, its payload not yet decoded.
///
/// The pointers point into the commit and are valid as long as it is. It takes less than 128 bytes, above which the compiler
/// copies by a call: every event of a log passes from hand to hand.
public struct RawEvent {
    public let seq: UInt64
    public let at: Instant
    public fileprivate(set) var payload = Self.noPiece
    fileprivate var idPiece = Self.noPiece
    fileprivate var tracePiece = Self.noPiece
    fileprivate var previousPlace = Self.noPlace
    public fileprivate(set) var occurredAt: Instant?
    /// The number of the person it is about, or `nil`.
    public fileprivate(set) var person: UInt32?
    fileprivate var type: UInt16 = 0
    /// Whether the id is sealed.
    fileprivate(set) var isIDSealed = false
    /// Opens what is sealed.
    fileprivate let opener: LentSealer?

    fileprivate init(_ seq: UInt64, _ at: Instant, _ opener: LentSealer?) {
        (self.seq, self.at, self.opener) = (seq, at, opener)
    }

    private static var noPlace: UInt64 { .max }
    /// Bytes that are missing have no address; those that are there have one, though they may be none.
    private static var noPiece: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    public var typeNumber: Int { Int(type) }

    /// Why something of it could not be opened though nobody was erased: the keys are not as they should be.
    var keyFailure: String? { opener?.it.failure }

    /// Where the person's previous commit begins; `nil` in their first commit, and after their first event in one.
    public var previous: UInt64? { previousPlace == Self.noPlace ? nil : previousPlace }

    public var id: UnsafeRawBufferPointer? { idPiece.baseAddress == nil ? nil : idPiece }

    /// The trace it belongs to, of a job that of the fact it follows from (`N11`).
    public var trace: UnsafeRawBufferPointer? { tracePiece.baseAddress == nil ? nil : tracePiece }

    /// The id of a fact; of somebody who was erased it is not known any more.
    public func idText() throws(FieldError) -> String? {
        try openedID().map { String(copying: $0) }
    }

    /// Good until something else is opened.
    func openedID() throws(FieldError) -> UnsafeRawBufferPointer? {
        guard isIDSealed, let id else { return id }
        let place = SealedPlace(person: person ?? 0, sequence: seq, field: EventField.id, isAround: true)
        return try opener?.it.open(id, at: place)
    }

    /// The payload, or `nil` for a type only a newer version knows.
    /// - Parameter user: what the names of the person's notices begin with, where they are asked for.
    public func decoded(about user: String = "") throws(FieldError) -> Payload? {
        let seals = EventSeals(opener, person: person ?? 0, sequence: seq, user: user)
        return try withUnsafePointer(to: seals) { seals throws(FieldError) in
            try Payload.decode(typeNumber, payload, sealed: seals)
        }
    }

    /// Whether it is a decision though its type is a fact's.
    fileprivate var isDerived: Bool {
        Payload.mayBeDerived(typeNumber) && (try? decoded())?.isFact == false
    }
}

/// The field numbers of a commit's body; `events/catalog/belfry.proto` is their contract.
enum CommitField {
    static let newPerson = 1
    static let sealedPerson = newPerson + FieldForm.sealed.rawValue
    static let event = 2
}

enum EventField {
    static let person = 1
    static let back = 2
    static let id = 3
    static let sealedID = id + FieldForm.sealed.rawValue
    static let occurredAt = 4
    static let trace = 5
    /// The payload stands under its type's number, as one of a `oneof`.
    static let firstPayload = 16
}

/// Somebody whom a commit meets. Good as long as the commit is.
public struct RawPerson {
    private let bytes: UnsafeRawBufferPointer
    private let isSealed: Bool
    private let opener: LentSealer?

    init(plain bytes: UnsafeRawBufferPointer) {
        (self.bytes, isSealed, opener) = (bytes, false, nil)
    }

    init(sealed bytes: UnsafeRawBufferPointer, by opener: LentSealer?) {
        (self.bytes, isSealed, self.opener) = (bytes, true, opener)
    }

    /// Gives their id, or what is shown in its place where nobody can read it.
    /// - Parameter number: the log's number of them, to which their key belongs.
    public func withID<Result>(
        as number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(WireError) -> Result {
        guard isSealed else { return body(bytes) }
        do throws(FieldError) {
            if let id = try opener?.it.open(bytes, at: .id(of: number)) { return body(id) }
        } catch {
            throw .notOpened(error.problem)
        }
        var nobody = Erased.person(number)
        return nobody.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

/// Walks a commit's body, people and events in the order they were written.
public struct CommitBody {
    public enum Item {
        case newPerson(RawPerson)
        case event(RawEvent)
    }

    private var reader: WireReader
    private let opener: LentSealer?
    private let position: UInt64
    private let at: Instant
    private var nextSeq: UInt64
    /// Of the last fact that has one: whose it is, and the trace that its jobs belong to.
    private var cause: (person: UInt32?, trace: UnsafeRawBufferPointer)?

    public init(_ frame: Frame) {
        reader = WireReader(frame.body)
        opener = frame.opener
        position = frame.position
        at = frame.at
        nextSeq = frame.firstSeq
    }

    public mutating func next() throws(WireError) -> Item? {
        while let (number, type) = try reader.tag() {
            switch (number, type) {
            case (CommitField.newPerson, .bytes): return .newPerson(RawPerson(plain: try reader.bytes()))
            case (CommitField.sealedPerson, .bytes):
                return .newPerson(RawPerson(sealed: try reader.bytes(), by: opener))
            case (CommitField.event, .bytes):
                defer { nextSeq &+= 1 }
                var event = RawEvent(nextSeq, at, opener)
                try Self.read(try reader.bytes(), into: &event, in: position)
                follow(&event)
                return .event(event)
            default: try reader.skip(type)
            }
        }
        return nil
    }

    /// What a commit says that is about nobody in particular.
    public static func payloads(aboutNobodyIn frame: Frame) -> [(at: Instant, payload: Payload)] {
        var body = CommitBody(frame)
        var payloads: [(at: Instant, payload: Payload)] = []
        while let item = try? body.next() {
            if case .event(let raw) = item, raw.person == nil, let payload = try? raw.decoded() {
                payloads.append((raw.at, payload))
            }
        }
        return payloads
    }

    /// A job that was decided because of a fact stands behind it, with nothing but that fact's decisions between the two.
    @inline(__always)
    private mutating func follow(_ event: inout RawEvent) {
        if event.typeNumber == JobEmitted.type.number {
            guard let cause, cause.person == nil || cause.person == event.person else { return }
            event.tracePiece = cause.trace
        } else if event.typeNumber < RecordType.decisionLeast, !(cause != nil && event.isDerived) {
            cause = event.trace.map { (event.person, $0) }
        }
    }

    @inline(__always)
    private static func read(
        _ bytes: UnsafeRawBufferPointer, into event: inout RawEvent, in position: UInt64
    ) throws(WireError) {
        var inner = WireReader(bytes)
        while let (number, type) = try inner.tag() {
            switch (number, type) {
            case (EventField.person, .varint):
                guard let person = UInt32(exactly: try inner.varint()) else { throw .endedEarly }
                event.person = person
            case (EventField.back, .varint):
                let distance = try inner.varint()
                guard distance <= position / 8 else { throw .endedEarly }
                event.previousPlace = position - distance * 8
            case (EventField.id, .bytes): event.idPiece = try inner.bytes()
            case (EventField.sealedID, .bytes):
                event.idPiece = try inner.bytes()
                event.isIDSealed = true
            case (EventField.occurredAt, .varint):
                event.occurredAt = Instant(milliseconds: Int64(bitPattern: try inner.varint()))
            case (EventField.trace, .bytes): event.tracePiece = try inner.bytes()
            case (EventField.firstPayload..<CommitField.sealedPerson, .bytes):
                event.type = UInt16(truncatingIfNeeded: number)
                event.payload = try inner.bytes()
            default: try inner.skip(type)
            }
        }
        guard event.type != 0 else { throw .unknownRecord(0) }
    }
}
