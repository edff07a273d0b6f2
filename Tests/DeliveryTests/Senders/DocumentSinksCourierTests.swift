import CivilTime
import Foundation
import Notices
import Synchronization
import Testing

@testable import Delivery

/// What the courier hands to a sink of the senders' document, and what not.
@Suite("N1, the courier and sinks of the document", .unlessItHangs)
struct DocumentSinksCourierTests {
    /// One question to the address book, which a test answers.
    private struct Asked: Sendable {
        var count: Int
        var reply: @Sendable ([BookEntry]?) -> Void

        func answer(_ entry: BookEntry) { reply(Array(repeating: entry, count: count)) }
    }

    /// Does not take what it is given first.
    private final class LateSink: Sink {
        let name = "late"
        let window = 4
        let orders = Awaited<Order>()
        private let isFirst = Atomic(true)

        func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
            let isFirst = isFirst.exchange(false, ordering: .relaxed)
            answer(isFirst ? .retry(after: nil, reason: "answered 503") : .taken)
            orders.append(contentsOf: [order])
        }

        func close(_ done: @escaping @Sendable () -> Void) { done() }
    }

    /// A log of one job about Anna.
    private final class Bench: Sendable {
        let facts = Awaited<Fact>()
        let asked = Awaited<Asked>()
        private let folder: String
        private let office: PostOffice
        private let rack = SinkRack()
        private let channels: [Channel]
        private let clock = SenderClock()

        init(_ channels: [Channel], in folder: String, _ document: String) throws {
            self.folder = folder
            self.channels = channels
            let (read, senders) = try Self.open(document, folder, rack, clock)
            office = PostOffice(read, senders)
        }

        private static func open(
            _ document: String, _ folder: String, _ rack: SinkRack, _ clock: SenderClock
        ) throws -> (SendersDocument, OpenSenders) {
            let read = try SendersDocument(document, folder: folder)
            return (read, try OpenSenders(read, ownSecret: [], clock: clock.read, rack: rack))
        }

        /// The document is read again.
        func change(_ document: String, _ courier: Courier) throws {
            let (read, senders) = try Self.open(document, folder, rack, clock)
            office.change(to: read, senders)
            courier.sendersChanged()
        }

        func courier(_ sinks: [any Sink] = [], texts: TextLedger? = nil) throws -> Courier {
            Courier(
                sinks: sinks,
                mail: Courier.Mail(
                    office: office, texts: try texts ?? TextLedger(in: folder),
                    book: { people, answer in
                        self.asked.append(contentsOf: [Asked(count: people.count, reply: answer)])
                    }, registration: { _, _ in nil }),
                clock: clock.read, read: { [channels] _ in [jobEvent(1, channels: channels)] },
                record: { facts, done in
                    done(true)
                    self.facts.append(contentsOf: facts)
                }, log: { _, _, _ in })
        }

        /// Answers the n-th question.
        func answer(_ number: Int, _ contact: Contact? = Bench.anna) async throws {
            try await asked.first(number)[number - 1].answer(BookEntry(contact))
        }

        /// A minute later, once the courier has done all that there was to do.
        func goOn(_ courier: Courier, minutes: Int64 = 1) {
            _ = courier.erase(["nobody"], through: newYear)
            clock.advance(minutes: minutes)
            courier.clockChanged()
        }

        func outcomes(_ count: Int) async throws -> [String] {
            try await facts.first(count).map { $0.outcome.replacing("anna/reminder/goal:g1/#1~1 ", with: "") }.sorted()
        }

        static var anna: Contact {
            var contact = Contact()
            contact.channels = [.push, .email, .sms]
            return contact
        }
    }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func bench(_ channels: [Channel], _ document: String) throws -> Bench {
        try Bench(channels, in: scratch.path, document)
    }

    private func spooled(_ folder: String) throws -> [String] {
        try scratch.names("/\(folder)").filter { $0.hasSuffix(".json") }.sorted()
    }

    private func secret(_ text: String, _ name: String) throws {
        let path = try scratch.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static let place = [JobPlace(position: 0, seq: 1)]

    private func stop(_ courier: Courier) async {
        await withCheckedContinuation { done in courier.stop(within: 60) { done.resume() } }
    }

    @Test func `each part of a job has a file of its own, and all of it is one`() async throws {
        let bench = try bench(
            [.push, .email, .sms], #"{"email":{"spool":{"directory":"d"}},"all":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        try await bench.answer(1)
        try await bench.answer(2)
        #expect(try await bench.outcomes(3) == ["email delivered", "push delivered", "sms delivered"])
        #expect(try spooled("d") == ["00000000000000000001.json"])
        // `retry` of one channel.
        courier.handOver([JobPlace(position: 0, seq: 1, channels: .sms)])
        try await bench.answer(3)
        try await bench.answer(4)
        _ = try await bench.outcomes(4)
        #expect(try spooled("d") == ["00000000000000000001-sms.json", "00000000000000000001.json"])
        await stop(courier)
    }

    @Test func `whoever is not known any more when it goes is handed to nobody (E1, M2)`() async throws {
        let bench = try bench([.email], #"{"email":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        try await bench.answer(1)
        try await bench.answer(2, nil)
        #expect(try await bench.outcomes(1).first?.hasPrefix("email failed") == true)
        #expect(try spooled("d").isEmpty)
        await stop(courier)
    }

    @Test(arguments: [1, 2])
    func `of a person whose log is another worker's for a moment nothing is said (M2)`(question: Int) async throws {
        let bench = try bench([.email], #"{"email":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        for before in 1..<question { try await bench.answer(before) }
        try await bench.asked.first(question)[question - 1].answer(.elsewhere)
        bench.goOn(courier)
        for later in question + 1...3 { try await bench.answer(later) }
        #expect(try await bench.outcomes(1) == ["email delivered"])
        await stop(courier)
    }

    @Test(arguments: [1, 2])
    func `what the book said before an erasure is asked again (E1)`(question: Int) async throws {
        let bench = try bench([.email], #"{"email":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        for before in 1..<question { try await bench.answer(before) }
        _ = try await bench.asked.first(question)
        _ = courier.erase(["anna"], through: newYear)
        try await bench.answer(question)
        // It waits a moment; then nobody is known.
        bench.goOn(courier)
        try await bench.answer(question + 1, nil)
        #expect(try await bench.outcomes(1).first?.hasPrefix("email failed") == true)
        #expect(try spooled("d").isEmpty)
        await stop(courier)
    }

    @Test func `a sink of the command line is told what a job was sorted to, whatever the document says later`()
        async throws
    {
        let bench = try bench([.push, .email], #"{"sms":{"spool":{"directory":"d"}}}"#)
        let sink = LateSink()
        let courier = try bench.courier([sink])
        courier.start()
        courier.handOver(Self.place)
        try await bench.answer(1)
        _ = try await sink.orders.first(1)
        try bench.change(#"{"all":{"spool":{"directory":"d"}}}"#, courier)
        bench.goOn(courier)
        #expect(try await sink.orders.first(2).map(\.job.channels) == [[.push, .email], [.push, .email]])
        _ = try await bench.outcomes(2)
        await stop(courier)
    }

    @Test(.enabled(if: Python.path != nil), arguments: [true, false])
    func `a webhook that sees to mails is given the link that stops them (N6)`(isLocked: Bool) async throws {
        let receiver = try Receiver()
        let key = String(repeating: "k", count: 40)
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "hook")
        try secret(key, "links")
        let server = #""webhook":{"url":"http://127.0.0.1:\#(receiver.port)/ok","secret_file":"hook"}"#
        let bench = try bench(
            [.push, .email],
            #"{"public_url":"https://bell.example.org","secret_file":"links","email":{\#(server)},"push":{\#(server)}}"#
        )
        let courier = try bench.courier()
        courier.start()
        // As a part of the job, and as all of it.
        for (number, channels) in [ChannelSet(.email), ChannelSet(.push), [.push, .email]].enumerated() {
            courier.handOver([JobPlace(position: 0, seq: 1, channels: channels)])
            var anna = Bench.anna
            anna.stops.isLocked = isLocked
            for question in 1...2 { try await bench.answer(2 * number + question, anna) }
            _ = try await bench.outcomes([1, 2, 4][number])
        }
        await stop(courier)
        let seen = try receiver.seen()
        #expect(seen.map { $0.stop != nil } == [true, false, true])
        #expect(seen.map(\.post) == ["List-Unsubscribe=One-Click", nil, "List-Unsubscribe=One-Click"])
        for link in seen.compactMap(\.stop) {
            let before = "<https://bell.example.org/u/"
            #expect(link.hasPrefix(before) && link.hasSuffix(">"))
            let stop = try #require(
                StopLink(token: String(link.dropFirst(before.count).dropLast()), secrets: [Array(key.utf8)]))
            #expect(stop == StopLink(user: "anna", kind: isLocked ? nil : "reminder", at: newYear))
        }
    }

    @Test func `what waits while the hours change does not ring in them (P8)`() async throws {
        let bench = try bench([.email], #"{"email":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        // The job is of the first instant of the year.
        var anna = Bench.anna
        anna.quiet = newYear.advanced(byMilliseconds: 1)..<newYear.advanced(byMinutes: 90)
        courier.handOver(Self.place)
        try await bench.answer(1, anna)
        try await bench.answer(2, anna)
        // It is looked at now and then.
        for question in 3...8 {
            bench.goOn(courier, minutes: 15)
            try await bench.answer(question, question < 8 ? anna : Bench.anna)
        }
        #expect(try await bench.outcomes(1) == ["email delivered"])
        // What rang when they held already was to ring.
        anna.quiet = newYear..<newYear.advanced(byMinutes: 900)
        courier.handOver(Self.place)
        try await bench.answer(9, anna)
        try await bench.answer(10, anna)
        #expect(try await bench.outcomes(2).last == "email delivered")
        await stop(courier)
    }

    @Test func `nor in hours that were changed while it waited, though it is of them (P8, T9)`() async throws {
        let bench = try bench([.email], #"{"email":{"spool":{"directory":"d"}}}"#)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        try await bench.answer(1)
        // The job is the first event.
        var anna = Bench.anna
        anna.quiet = newYear..<newYear.advanced(byMinutes: 40)
        anna.quietBy = 2
        try await bench.answer(2, anna)
        bench.goOn(courier, minutes: 15)
        (anna.quietBy, anna.policyAt) = (0, newYear.advanced(byMilliseconds: 1))
        try await bench.answer(3, anna)
        bench.goOn(courier, minutes: 15)
        try await bench.answer(4)
        #expect(try await bench.outcomes(1) == ["email delivered"])
        await stop(courier)
    }

    @Test func `what waits for a sink goes where its channel leads now`() async throws {
        let sinks =
            #"{"push":{"spool":{"directory":"d"}},"email":{"spool":{"directory":"d"}},"sms":{"spool":{"directory":"e"}}}"#
        let bench = try bench([.email], sinks)
        let courier = try bench.courier()
        courier.start()
        courier.handOver(Self.place)
        try await bench.answer(1)
        _ = try await bench.asked.first(2)
        try bench.change(#"{"push":{"spool":{"directory":"e"}},"email":{"spool":{"directory":"d"}}}"#, courier)
        try await bench.answer(2)
        #expect(try await bench.outcomes(1) == ["email delivered"])
        #expect(try spooled("d").count == 1 && spooled("e").isEmpty)
        await stop(courier)
    }

    @Test func `a text in doubt does not go to a sink that knows nothing of the first try (N5)`() async throws {
        let bench = try bench([.push, .sms], #"{"all":{"spool":{"directory":"d"}}}"#)
        _ = try scratch.write("+ 0 1\n", to: TextLedger.name)
        let courier = try bench.courier()
        courier.start()
        courier.takeUp(courier.returned(Self.place, in: everywhere))
        try await bench.answer(1)
        try await bench.answer(2)
        let outcomes = try await bench.outcomes(2)
        #expect(outcomes[0] == "push delivered")
        #expect(outcomes[1].hasPrefix("sms failed: had no answer when the worker ended"))
        #expect(try spooled("d") == ["00000000000000000001-push.json"])
        await stop(courier)
    }

    /// A cluster's worker loses a partition while its database is away, and has it back.
    @Test func `a text that was begun here is not begun once more when its log comes back without its outcome (N5)`()
        async throws
    {
        let bench = try bench([.push, .sms], #"{"all":{"spool":{"directory":"d"}}}"#)
        let texts = try TextLedger(in: scratch.path)
        let courier = try bench.courier(texts: texts)
        courier.start()
        #expect(await withCheckedContinuation { done in texts.note(Self.place) { done.resume(returning: $0) } })
        courier.hold(0..<100) {}
        courier.forget(0..<100)
        courier.takeUp(courier.returned(Self.place, in: 0..<100))
        try await bench.answer(1)
        try await bench.answer(2)
        let outcomes = try await bench.outcomes(2)
        #expect(outcomes[0] == "push delivered")
        #expect(outcomes[1].hasPrefix("sms failed: had no answer when the worker ended"))
        await stop(courier)
        #expect(texts.noted(in: everywhere).isEmpty)
    }

    @Test func `a text whose outcome the log has is noted no more once that is opened here`() async throws {
        let bench = try bench([.push, .sms], #"{"all":{"spool":{"directory":"d"}}}"#)
        _ = try scratch.write("+ 0 1\n+ 500 2\n", to: TextLedger.name)
        let texts = try TextLedger(in: scratch.path)
        let courier = try bench.courier(texts: texts)
        #expect(courier.returned([], in: 0..<100).places.isEmpty)
        #expect(texts.noted(in: everywhere).map(\.seq) == [2])
        await stop(courier)
    }
}
