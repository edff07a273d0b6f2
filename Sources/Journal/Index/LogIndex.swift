internal import Notices

/// The index of the log up to some position: its people and its fact ids.
///
/// It is a fold of the log. It can be dropped at any time; rebuilding it costs one pass over the log.
public struct LogIndex: Sendable {
    public internal(set) var head: LogHead
    public internal(set) var people: People
    /// Positions of the commits with events about nobody in particular, such as the adoption of a policy: they are part
    /// of everyone's story, and few.
    public internal(set) var generalCommits: [UInt64] = []
    var factIDs: FactIDs
    /// Only a writer asks for fact ids; a reader does without their memory.
    let keepsFactIDs: Bool

    init(_ identity: LogIdentity, keepsFactIDs: Bool) {
        self.keepsFactIDs = keepsFactIDs
        head = .start
        people = People(identity)
        factIDs = FactIDs(identity)
    }

    /// Takes a commit in. Returns how many events it had.
    mutating func take(_ frame: Frame) throws(WireError) -> Int {
        var body = CommitBody(frame)
        var events = 0
        while let item = try body.next() {
            switch item {
            case .newPerson(let person): _ = try people.meet(person)
            case .event(let event):
                events += 1
                if let person = event.person {
                    guard person < people.count else { throw .unknownRecord(event.typeNumber) }
                    people.setLastCommit(of: person, frame.position)
                } else {
                    addGeneral(frame.position)
                }
                if let person = event.person, event.typeNumber == PersonErased.type.number { people.erase(person) }
                if keepsFactIDs { try takeID(of: event, at: frame.position) }
            }
        }
        return events
    }

    private mutating func takeID(of event: RawEvent, at position: UInt64) throws(WireError) {
        guard event.id != nil else { return }
        do throws(FieldError) {
            if let id = try event.openedID() { factIDs.insert(id, at: position) }
        } catch {
            throw .notOpened(error.problem)
        }
    }

    /// Takes in the fact ids of a commit, and nothing else of it.
    mutating func takeIDs(_ frame: Frame) throws(WireError) {
        var body = CommitBody(frame)
        while let item = try body.next() {
            if case .event(let event) = item { try takeID(of: event, at: frame.position) }
        }
    }

    mutating func addGeneral(_ position: UInt64) {
        if generalCommits.last != position { generalCommits.append(position) }
    }
}

extension LogIndex {
    /// Takes in what a scanner has left to read, up to a place.
    mutating func read(_ scanner: LogScanner, through limit: UInt64 = .max) throws(JournalError) {
        while scanner.head.position < limit, let frame = try scanner.next() {
            let events: Int
            do throws(WireError) { events = try take(frame) } catch { throw scanner.damage("\(error)") }
            try scanner.took(events: events)
        }
        head = scanner.head
    }
}
