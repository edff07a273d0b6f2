public import Notices

/// Makes whole events of what commits hold, knowing the people by their numbers.
struct EventDecoder {
    /// Those met since `known`.
    private(set) var people: People
    /// How many people the caller knows by number: the log's first ones.
    private let known: UInt32
    /// Of whom alone is told.
    private let share: Share
    /// Whether whoever comes in these commits is known already: `people` were taken from further on.
    var isBehindPeople = false
    /// Events of types that only a newer version knows; they are left out (SPEC: an old reader skips).
    private(set) var unknownTypes = 0
    /// Whom the events given last are about, by number; `nil` for nobody.
    private(set) var subjects: [Int?] = []
    private var raw: [RawEvent] = []

    init(_ people: People, after known: Int = 0, share: Share = .whole) {
        self.people = people
        self.share = share
        self.known = UInt32(known)
    }

    /// How many people the log has met so far.
    var met: Int { Int(known) + people.count }

    /// The id of somebody met since `known`.
    func newcomer(_ number: Int) -> String? {
        guard number >= known else { return nil }
        let place = UInt32(number) - known
        // Who was erased is called by their number among those who are here.
        return known > 0 && people.isErased(place) ? Erased.person(UInt32(number)) : people.id(place)
    }

    /// All events of a commit that are about `person`, if asked those about nobody as well, or simply all.
    ///
    /// Throws a sentence that says what is wrong with the commit.
    /// - Parameter name: gives the ids of those the caller knows; those of others it may.
    mutating func events(
        of frame: Frame, about person: UInt32? = nil, andGeneral: Bool = false,
        naming name: (Int) -> String? = { _ in nil }
    ) throws(CommitFault) -> (events: [Event], total: Int) {
        var events: [Event] = []
        let total = try tell(of: frame, about: person, andGeneral: andGeneral, naming: name) {
            events.reserveCapacity($0.count)
        } _: { event, _ in
            events.append(event)
        }
        return (events, total)
    }

    /// The same events where they lie, one after the other, and whom each is about: for those who keep none. Returns how
    /// many there are in the commit.
    /// - Parameter expect: is told whom the events are about before any of them is decoded.
    mutating func tell(
        of frame: Frame, about person: UInt32? = nil, andGeneral: Bool = false, naming name: (Int) -> String?,
        expecting expect: ([Int?]) -> Void, _ take: (Event, Int?) -> Void
    ) throws(CommitFault) -> Int {
        do throws(WireError) {
            let total = try walk(frame, person, andGeneral)
            expect(subjects)
            try decode(name, take)
            return total
        } catch {
            throw CommitFault(problem: "\(error)")
        }
    }

    /// Meets the people of a commit and finds the events that are asked for, and whom they are about.
    private mutating func walk(_ frame: Frame, _ person: UInt32?, _ andGeneral: Bool) throws(WireError) -> Int {
        var body = CommitBody(frame)
        var total = 0
        raw.removeAll(keepingCapacity: true)
        subjects.removeAll(keepingCapacity: true)
        while let item = try body.next() {
            switch item {
            case .newPerson(let newcomer):
                // Whoever asks about one person knows who that is.
                guard person == nil, !isBehindPeople else { break }
                if share.holds(UInt32(met)) {
                    _ = try people.meet(newcomer, after: known)
                } else {
                    people.passOver()
                }
            case .event(let event):
                total += 1
                guard event.person.map(share.holds) ?? true else { continue }
                guard person == nil || event.person == person || andGeneral && event.person == nil else { continue }
                raw.append(event)
                subjects.append(event.person.map { Int($0) })
            }
        }
        return total
    }

    private mutating func decode(_ name: (Int) -> String?, _ take: (Event, Int?) -> Void) throws(WireError) {
        var told = 0
        for raw in raw {
            let user = try user(of: raw, name)
            do throws(FieldError) {
                if let payload = try raw.decoded(about: user ?? "") {
                    take(try raw.event(about: user, saying: payload), subjects[told])
                    told += 1
                    // Whoever comes under their id is somebody else (`E4`).
                    if case .personErased = payload, let person = raw.person, person >= known,
                        person - known < people.count
                    {
                        people.erase(person - known)
                    }
                    continue
                }
            } catch {
                throw .badPayload(raw.typeNumber, "\(error)")
            }
            subjects.remove(at: told)
            if raw.person != nil || share.isFirst { unknownTypes += 1 }
        }
    }

    private func user(of raw: RawEvent, _ name: (Int) -> String?) throws(WireError) -> String? {
        guard let person = raw.person else { return nil }
        if let id = name(Int(person)) ?? newcomer(Int(person)) { return id }
        throw .badPayload(raw.typeNumber, "person \(person) is not known yet")
    }
}

extension RawEvent {
    /// The whole event, or `nil` for a type only a newer version knows.
    public func event(about user: String?) throws(FieldError) -> Event? {
        guard let payload = try decoded(about: user ?? "") else { return nil }
        return try event(about: user, saying: payload)
    }

    @inline(__always)
    fileprivate func event(about user: String?, saying payload: consuming Payload) throws(FieldError) -> Event {
        Event(
            seq: seq, at: at, user: user, id: try idText(), occurredAt: occurredAt,
            trace: trace.flatMap { TraceParent($0) }, payload: payload)
    }
}

/// A commit whose checksum holds and whose content does not.
struct CommitFault: Error, Equatable {
    var problem: String
}
