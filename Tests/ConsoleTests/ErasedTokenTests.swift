import CivilTime
import Hashing
import Synchronization
import Testing

@testable import Console

@Suite("E4, G9: tokens of people who are erased")
struct ErasedTokenTests {
    private let entry: Entry

    init() throws { entry = try Entry() }

    private func erase(_ users: [String], of entry: Entry) {
        #expect(entry.persons.beginErasing(users, in: 0) == nil)
        for user in users {
            entry.hand.erase(user)
            entry.persons.endErasing(user, in: 0, isRefused: false)
        }
    }

    private func lastWritten(_ entry: Entry) throws -> String {
        String(decoding: try #require(entry.hand.written.last), as: UTF8.self)
    }

    // MARK: What the file says

    @Test func `the file is the same whoever it was that was erased`() throws {
        var files: [String] = []
        for user in ["anna", "zoe"] {
            let entry = try Entry(people: [user])
            #expect(entry.persons.revoke(nil, of: user) == nil)
            #expect(entry.persons.revoke("0123456789abcdef", of: user) == nil)
            let token = entry.person(user)
            erase([user], of: entry)
            #expect(entry.persons.pass(of: token) == nil)
            files.append(try lastWritten(entry))
        }
        #expect(files[0] == files[1])
    }

    @Test func `a file that names people who were erased is written anew without them, once`() throws {
        let name = PersonTokens(secrets: [Entry.secret], log: Entry.log).name(of: "zoe")
        let start = Entry.start.milliseconds
        let text = "belfry revoked tokens 2\nerased 0 1\nall \(name) \(start) \(start)\n"
        let token = entry.person("anna")
        let next = try Entry(revoked: Array("\(text)\(Digest(of: Array(text.utf8)))\n".utf8))
        #expect(next.persons.missed(of: [0: 1]) == [0: 1])
        #expect(next.persons.settle(erased: [0: 1], madeLast: Entry.start) == .everybodys)
        #expect(try !lastWritten(next).contains(name))
        #expect(next.persons.pass(of: token) == nil && next.persons.pass(of: next.person("anna")) != nil)
        let third = try Entry(revoked: next.hand.written.last)
        #expect(third.persons.missed(of: [0: 1]) == [:])
        #expect(third.persons.settle(erased: [0: 1], madeLast: Entry.start) == .settled)
    }

    @Test func `many people of one commit are one write`() throws {
        let users = (0..<300).map { "u\($0)" }
        let entry = try Entry(people: users + ["anna"])
        let tokens = users.map { entry.person($0) } + [entry.person("anna")]
        #expect(entry.persons.beginErasing(users, in: 0) == nil)
        #expect(entry.hand.written.count == 1)
        #expect(tokens.filter { entry.persons.pass(of: $0) != nil } == [tokens[300]])
        let next = try Entry(people: ["anna"], revoked: entry.hand.written.last)
        #expect(next.persons.settle(erased: [0: 300], madeLast: Entry.start) == .settled)
        #expect(next.persons.pass(of: tokens[0]) == nil && next.persons.pass(of: tokens[300]) != nil)
    }

    @Test func `an erasure is one line more, however many stand in the file`() throws {
        let users = (0..<300).map { "u\($0)" }
        let entry = try Entry(people: users + ["anna", "bert"])
        erase(users, of: entry)
        let before = try #require(entry.hand.written.last)
        erase(["anna"], of: entry)
        let after = try #require(entry.hand.written.last)
        #expect(entry.hand.written.count == 2 && after.starts(with: before) && after.count - before.count < 300)
        let next = try Entry(people: ["bert"], revoked: after)
        #expect(next.persons.settle(erased: [0: 301], madeLast: Entry.start) == .settled)
        #expect(next.hand.written.isEmpty)
    }

    @Test func `lines that say nothing new go when there are many`() throws {
        for _ in 0..<1000 { #expect(entry.persons.revoke(nil, of: "anna") == nil) }
        #expect(try lastWritten(entry).split(separator: "\n").count < 100)
    }

    @Test
    func `what is revoked while the file is written anew stays, and a name that was to go goes with the next start`()
        throws
    {
        let work = Mutex<[@Sendable () -> Void]>([])
        let entry = try Entry(later: { one in work.withLock { $0.append(one) } })
        for user in ["anna", "bert"] { #expect(entry.persons.revoke(nil, of: user) == nil) }
        let name = PersonTokens(secrets: [Entry.secret], log: Entry.log).name(of: "anna")
        let token = entry.person("carl")
        erase(["anna"], of: entry)
        #expect(try lastWritten(entry).contains("all \(name)"))
        // Killed before it came to that.
        let next = try Entry(people: ["bert", "carl"], revoked: entry.hand.written.last)
        #expect(next.persons.settle(erased: [0: 1], madeLast: Entry.start) == .settled)
        #expect(try !lastWritten(next).contains(name))
        // Or it comes to that, and somebody's are revoked between the draft and the end.
        entry.hand.whenDrafted { [persons = entry.persons] in _ = persons.revoke(nil, of: "carl") }
        for one in work.withLock({ $0 }) { one() }
        #expect(try !lastWritten(entry).contains(name))
        let third = try Entry(revoked: entry.hand.written.last)
        for entry in [entry, third] { #expect(entry.persons.pass(of: token) == nil) }
    }

    @Test func `where too many stand in it the older go, and everybody's tokens of their time end`() {
        var revoked = RevokedTokens()
        func mark(_ number: Int) -> String { "\(1_000_000_000_000_000 + number)" }
        func holds(_ number: Int, _ madeAt: Instant, _ revoked: RevokedTokens) -> Bool {
            let id = mark(number) + "0123456789abcdef"
            return revoked.holds(
                PersonTokens.Content(user: "u", id: id, madeAt: madeAt, endsAt: .distantFuture), of: "name")
        }
        let (first, second) = (Entry.start, Entry.start.advanced(bySeconds: 1))
        let half = RevokedTokens.peopleMax / 2
        let stranger = 3 * half
        revoked.take(revoked.erasing((0...half).map { ("n\($0)", mark($0)) }, madeLast: .distantPast, at: first))
        #expect(holds(0, first, revoked) && !holds(stranger, first, revoked))
        let more = (half + 1...2 * half).map { ("n\($0)", mark($0)) }
        revoked.take(revoked.erasing(more, madeLast: .distantPast, at: second))
        #expect(revoked.isWorthWriting(at: second))
        revoked = revoked.compacted(at: second, with: [])
        #expect(holds(0, first, revoked) && holds(2 * half, second, revoked))
        #expect(holds(stranger, first, revoked) && !holds(stranger, second, revoked))
        #expect(revoked.bytes.count { $0 == 0x0A } < half + 10)
    }

    // MARK: Whose tokens end

    @Test func `theirs end, those of others hold, and whoever comes with the id next has tokens of their own`() {
        let (hers, his) = (entry.person("anna"), entry.person("bert"))
        erase(["anna"], of: entry)
        // Not known any more, and then somebody new.
        let ahead = entry.person("anna")
        entry.hand.enrol("anna")
        let next = entry.person("anna")
        #expect(entry.persons.pass(of: hers) == nil && entry.persons.pass(of: his) != nil)
        #expect(entry.persons.pass(of: ahead) != nil && entry.persons.pass(of: next) != nil)
        erase(["anna"], of: entry)
        #expect(entry.persons.pass(of: ahead) == nil && entry.persons.pass(of: next) == nil)
        #expect(entry.persons.pass(of: his) != nil)
    }

    @Test func `a token that was made before the log knew its person ends with the next erasure of anybody`() {
        let ahead = entry.person("zoe")
        #expect(entry.persons.pass(of: ahead) != nil)
        erase(["bert"], of: entry)
        #expect(entry.persons.pass(of: ahead) == nil)
        #expect(entry.persons.pass(of: entry.person("zoe")) != nil)
    }

    @Test func `a worker that has not their log ends their tokens by the mark, and everybody's where it is told none`()
        throws
    {
        let (hers, his) = (entry.person("anna"), entry.person("bert"))
        let mark = try #require(entry.persons.mark(of: "anna"))
        let other = try Entry(people: [])
        #expect(other.persons.pass(of: hers) != nil)
        #expect(other.persons.beginErasing([EraseOrder.Person("anna", marked: mark)], in: 3) == nil)
        #expect(other.persons.pass(of: hers) == nil && other.persons.pass(of: his) != nil)
        #expect(other.persons.beginErasing([EraseOrder.Person("cleo")], in: 3) == nil)
        #expect(other.persons.pass(of: his) == nil)
        #expect(other.persons.missed(of: [3: 2]) == [:])
    }
}
