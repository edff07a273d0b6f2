import CivilTime
@testable import Journal
import Notices
import Simulation
import Testing

@Suite("The log's people")
struct PeopleTests {
    private static let identity = LogIdentity(words: (3, 5))

    private func bytes<Result>(_ id: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(id.utf8).withUnsafeBytes(body)
    }

    @Test func `are numbered from 0 on first sight, as a dictionary would`() {
        var random = SeededRandom(seed: 2)
        var people = People(Self.identity)
        var numbers: [String: UInt32] = [:]
        var ids: [String] = []
        for step in 0..<30_000 {
            let number = Int.random(in: 0..<8_000, using: &random)
            // Alike, of all lengths, and each a part of another.
            let id = step % 2 == 0 ? "p\(number)" : String(repeating: "person:", count: number % 9) + "\(number)"
            let given = bytes(id) { people.numberOrAdd($0) }
            #expect(given.isNew == (numbers[id] == nil))
            if numbers[id] == nil {
                numbers[id] = UInt32(ids.count)
                ids.append(id)
            }
            if given.number != numbers[id] { Issue.record("\(id) is \(given.number)") }
        }
        #expect(people.count == ids.count)
        expect(people, knows: ids)
        #expect(people.number(of: "nobody") == nil)
        #expect(people.number(of: "") == nil)
        #expect(people.id(UInt32(ids.count)) == nil)
    }

    private func expect(_ people: People, knows ids: [String]) {
        for (number, id) in ids.enumerated() {
            if people.id(UInt32(number)) != id || people.number(of: id) != UInt32(number) {
                Issue.record("\(number) is not \(id)")
            }
        }
    }

    @Test func `remember the last commit about each`() {
        var people = People(Self.identity)
        for id in ["anna", "ben"] { _ = bytes(id) { people.numberOrAdd($0) } }
        #expect(people.lastCommit(of: 0) == nil)
        people.setLastCommit(of: 0, 0)
        people.setLastCommit(of: 1, 96)
        #expect(people.lastCommit(of: 0) == 0)
        #expect(people.lastCommit(of: 1) == 96)
        #expect(people.lastCommit(of: 2) == nil)
    }

    @Test func `come back from a snapshot's sections, if those fit together`() throws {
        var people = People(Self.identity)
        let ids = (0..<1000).map { "person-\($0)" }
        for id in ids { _ = bytes(id) { people.numberOrAdd($0) } }
        let last = [UInt64](repeating: 0, count: 1000)
        let parts = people.names.parts
        let roster = try #require(
            Roster(hashedBy: KeyHash(Self.identity), text: parts.text, starts: parts.starts, slots: parts.slots))
        expect(try #require(People(roster, lastCommits: last)), knows: ids)
        #expect(People(roster, lastCommits: last + [0]) == nil)
        #expect(People(roster, lastCommits: []) == nil)
    }
}

@Suite("A person's trail")
struct TrailTests {
    /// A log of many people over several segments and openings, with people who share commits.
    private func log(hasSnapshot: Bool) throws -> KeptLog {
        var random = SeededRandom(seed: 5)
        return try KeptLog(segmentBytesMax: 900, hasSnapshot: hasSnapshot) { scribe in
            for round in 0..<40 {
                let entries = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    Sample.points("person-\(Int.random(in: 0...9, using: &random))", round + 1)
                }
                try scribe.append(entries)
                if round % 3 == 0 { try scribe.commit() }
                if round % 13 == 12 {
                    try scribe.close()
                    try scribe.open()
                }
            }
        }
    }

    private func lines(_ log: KeptLog, of user: String) -> [Event] {
        log.whole.commits.joined().map(\.event).filter { $0.user == user }
    }

    @Test(arguments: [false, true])
    func `leads to all of a person's events and to nothing else`(hasSnapshot: Bool) throws {
        let log = try log(hasSnapshot: hasSnapshot)
        try #require(log.segments.count > 3)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let index = try reader.index()
        #expect(index.people.count == 10)
        for number in 0...9 {
            let user = "person-\(number)"
            let trail = try #require(PersonTrail(reader, index, user: user))
            let found = try trail.commits().flatMap { try trail.events(at: $0) }
            #expect(found == lines(log, of: user), "\(user)")
        }
        #expect(PersonTrail(reader, index, user: "nobody") == nil)
    }

    /// By hand, pointer by pointer: the first event in a commit points back, later ones in it do not.
    @Test func `is made of the events' own pointers`() throws {
        let log = try log(hasSnapshot: false)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let people = try reader.index().people
        for number in 0..<UInt32(people.count) {
            var next = people.lastCommit(of: number)
            var found: [UInt64] = []
            while let position = next {
                next = try reader.withCommit(at: position) { frame -> UInt64? in
                    var events: [RawEvent] = []
                    var body = CommitBody(frame)
                    while case let item? = try? body.next() {
                        if case .event(let event) = item, event.person == number { events.append(event) }
                    }
                    #expect(events.dropFirst().allSatisfy { $0.previous == nil })
                    found += events.reversed().map(\.seq)
                    return events.first?.previous
                }
            }
            #expect(found.reversed() == lines(log, of: people.id(number) ?? "").map(\.seq))
        }
    }

    @Test func `begins where it is asked to`() throws {
        let log = try log(hasSnapshot: false)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let index = try reader.index()
        let trail = try #require(PersonTrail(reader, index, user: "person-3"))
        let all = lines(log, of: "person-3")
        for event in log.whole.commits.joined().map(\.event) {
            let bySeq = try trail.commits(seq: event.seq).flatMap { try trail.events(at: $0) }
            #expect(bySeq.filter { $0.seq >= event.seq } == all.filter { $0.seq >= event.seq })
            let byInstant = try trail.commits(from: event.at).flatMap { try trail.events(at: $0) }
            #expect(byInstant == all.filter { $0.at >= event.at })
        }
    }

    /// What a reader of a long story costs is what they make the disk do, not how many commits it has.
    @Test func `is read in few pieces where its commits lie together`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        for number in 0..<3000 {
            _ = try journal.append([Sample.points("anna", number + 1)], at: Sample.start)
            try journal.commit()
        }
        try journal.close()
        let reader = try LogReader(Scribe.directory, on: disk)
        let trail = try #require(PersonTrail(reader, try reader.index(), user: "anna"))
        disk.countReads = true
        let before = disk.operations
        let positions = try trail.commits()
        #expect(positions.count == 3000)
        let seqs = try positions.flatMap { try trail.events(at: $0) }.map(\.seq)
        #expect(seqs == Array(1...3000))
        #expect(disk.operations - before < 60, "\(disk.operations - before) operations")
    }

    @Test func `is not followed any further once nobody wants it`() throws {
        let log = try log(hasSnapshot: false)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let trail = try #require(PersonTrail(reader, try reader.index(), user: "person-3"))
        #expect(try trail.commits().count > 4)
        var asked = 0
        let found = try trail.commits(isWanted: {
            asked += 1
            return asked <= 2
        })
        #expect(found.count == 2)
        #expect(asked == 3)
        asked = 0
        let newest = try trail.commits(
            after: 0, atMost: 100,
            isWanted: {
                asked += 1
                return asked <= 2
            })
        #expect(newest.positions.count == 2)
        #expect(asked == 3)
        #expect(try reader.end(ofCommitHolding: 5, isWanted: { false }) == nil)
    }

    @Test func `a commit's end is found by any of its events`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        for _ in 0..<3 {
            _ = try journal.append([Sample.points("anna", 1), Sample.points("ben", 2)], at: Sample.start)
        }
        try journal.close()
        let reader = try LogReader(Scribe.directory, on: disk)
        let ends = try (UInt64(0)...7).map { try reader.end(ofCommitHolding: $0)?.lastSeq }
        #expect(ends == [nil, 2, 2, 4, 4, 6, 6, nil])
    }

    @Test func `is in the writer's own index at once`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        var positions: [UInt64?] = []
        for _ in 0..<3 {
            let position = journal.head.position
            _ = try journal.append([Sample.points("anna", 1), Sample.points("ben", 2)], at: Sample.start)
            positions.append(position)
            #expect(journal.people.lastCommit(of: 0) == position)
            #expect(journal.people.lastCommit(of: 1) == position)
        }
        try journal.close()
        let reader = try LogReader(Scribe.directory, on: disk)
        #expect(try reader.index().people.lastCommit(of: 1) == positions[2])
    }

    @Test func `events are told where they lie as they are given`() throws {
        let log = try log(hasSnapshot: false)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let (given, told) = (EventReader(reader), EventReader(reader))
        while let commit = try given.nextCommit() {
            var (events, subjects, expected): ([Event], [Int?], [Int?]) = ([], [], [])
            let isThere = try told.tellCommit(naming: { _ in nil }, expecting: { expected = $0 }) { event, subject in
                events.append(event)
                subjects.append(subject)
            }
            #expect(isThere && events == commit)
            #expect(subjects == given.subjects && subjects == expected)
            #expect(told.head == given.head)
        }
        let isMore = try told.tellCommit(naming: { _ in nil }, expecting: { _ in }) { _, _ in }
        #expect(!isMore)
    }

    @Test func `reading may begin anywhere`() throws {
        let log = try log(hasSnapshot: false)
        let reader = try LogReader(Scribe.directory, on: log.disk)
        let people = try reader.index().people
        let all = log.whole.commits.joined().map(\.event)
        for event in all {
            for start in [reader.head(before: event.seq), reader.head(before: event.at)] {
                let events = EventReader(reader, from: start, people: people)
                var found: [Event] = []
                while let next = try events.next() { found.append(next) }
                #expect(found.contains(event))
                #expect(found == Array(all.suffix(found.count)))
            }
        }
    }
}
