internal import Notices

/// Reads all of a log and checks all of it: checksums, the hash chain, numbers, people, pointers, and that every
/// event can be decoded (SPEC §13, `verify`).
public struct LogVerifier {
    /// Totals of a whole log.
    public struct Report: Sendable, Equatable {
        public var events = 0
        public var commits = 0
        public var segments = 0
        public var bytes = 0
        public var people = 0
        public var unknownTypes = 0
        public var head = LogHead.start
        public var tail = LogTail.whole
    }

    private let log: LogReader

    public init(_ log: LogReader) { self.log = log }

    /// - Parameter progress: told now and then how many bytes have been read.
    public func run(progress: (Int) -> Void = { _ in }) throws(JournalError) -> Report {
        var report = Report()
        var people = People(log.identity ?? .none)
        let scanner = log.scanner(checksHashes: true)
        while let frame = try scanner.next() {
            let events: Int
            do throws(CommitFault) {
                if let before = scanner.takePeopleBefore(), before != people.count {
                    throw CommitFault(problem: "the segment says that \(before) people were known before it")
                }
                events = try check(frame, &people, &report)
            } catch {
                throw scanner.damage(error.problem)
            }
            try scanner.took(events: events)
            report.events += events
            report.commits += 1
            report.bytes += frame.bytes.count
            if report.commits % 1024 == 0 { progress(report.bytes) }
        }
        report.segments = log.segmentCount
        report.people = people.count
        report.head = scanner.head
        report.tail = scanner.tail
        return report
    }

    private func check(_ frame: Frame, _ people: inout People, _ report: inout Report) throws(CommitFault) -> Int {
        var body = CommitBody(frame)
        var events = 0
        while let item = try next(&body) {
            switch item {
            case .newPerson(let person): try meet(person, &people)
            case .event(let event):
                events += 1
                try check(event, at: frame.position, &people)
                if try decode(event) == nil { report.unknownTypes += 1 }
            }
        }
        return events
    }

    private func meet(_ person: RawPerson, _ people: inout People) throws(CommitFault) {
        let (isFine, isNew): (Bool, Bool)
        do throws(WireError) {
            isFine = try person.withID(as: UInt32(people.count)) {
                Identifier.accepts($0) || Erased.holds(String(decoding: $0, as: UTF8.self))
            }
            isNew = try people.meet(person).isNew
        } catch {
            throw CommitFault(problem: "\(error)")
        }
        guard isFine else { throw CommitFault(problem: "a person's id is malformed") }
        guard isNew else { throw CommitFault(problem: "a person is numbered twice") }
    }

    private func next(_ body: inout CommitBody) throws(CommitFault) -> CommitBody.Item? {
        do throws(WireError) { return try body.next() } catch { throw CommitFault(problem: "\(error)") }
    }

    private func check(_ event: RawEvent, at position: UInt64, _ people: inout People) throws(CommitFault) {
        guard let person = event.person else { return }
        guard person < people.count else {
            throw CommitFault(problem: "event \(event.seq) is about a person not met yet")
        }
        let last = people.lastCommit(of: person)
        guard event.previous == (last == position ? nil : last) else {
            throw CommitFault(problem: "event \(event.seq) does not point to its person's previous commit")
        }
        people.setLastCommit(of: person, position)
    }

    private func decode(_ event: RawEvent) throws(CommitFault) -> Payload? {
        do throws(FieldError) { return try event.decoded() } catch {
            throw CommitFault(problem: "event \(event.seq) cannot be decoded: \(error)")
        }
    }
}
