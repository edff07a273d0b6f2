import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

/// A document may name somebody of another sort for a channel while its jobs wait.
@Suite("N1, jobs that wait while the document changes", .unlessItHangs)
struct DocumentChangesTests {
    /// Takes whatever it is given.
    private final class TakingSink: Sink {
        let name = "jobs"
        let window = 4
        let orders = Awaited<Order>()

        func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
            orders.append(contentsOf: [order])
            answer(.taken)
        }

        func close(_ done: @escaping @Sendable () -> Void) { done() }
    }

    private static let relay = #""smtp":{"url":"smtp://127.0.0.1:1","from":"bell@belfry.dev"}"#
    private static let spool = #""spool":{"directory":"d"}"#

    private static var anna: Contact {
        var contact = Contact()
        contact.email = "anna@example.org"
        contact.channels = .email
        return contact
    }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A mail is sorted by one document, and another is in force before it is sent, each time that it is to be. What is heard of it
    /// first: its outcome, or what somebody has to mend.
    private func heard(of before: String, then after: String..., besides sinks: [any Sink] = []) async throws -> String
    {
        let (rack, heard, questions) = (SinkRack(), Awaited<String>(), Awaited<Int>())
        func open(_ email: String) throws -> (SendersDocument, OpenSenders) {
            let text = #"{"public_url":"https://bell.example.org","email":{\#(email)}}"#
            let document = try SendersDocument(email.isEmpty ? "{}" : text, folder: scratch.path)
            let senders = try OpenSenders(document, ownSecret: [Array("secret".utf8)], clock: { newYear }, rack: rack)
            return (document, senders)
        }
        let (document, senders) = try open(before)
        let next = try after.map { try open($0) }
        let office = PostOffice(document, senders)
        let courier = Courier(
            sinks: sinks,
            mail: Courier.Mail(
                office: office, texts: try TextLedger(in: scratch.path),
                book: { people, answer in
                    questions.append(contentsOf: [people.count])
                    let asked = questions.values.count - 2
                    if next.indices.contains(asked) { office.change(to: next[asked].0, next[asked].1) }
                    answer(people.map { _ in BookEntry.contact(Self.anna) })
                }, registration: { _, _ in nil }),
            clock: { newYear }, read: { _ in [jobEvent(1, channels: [.email])] },
            record: { facts, done in
                done(true)
                heard.append(contentsOf: facts.map(\.outcome))
            },
            log: { level, text, _ in
                if level == .warning || level == .error { heard.append(contentsOf: [text]) }
            })
        courier.start()
        courier.handOver([JobPlace(position: 0, seq: 1)])
        let first = try await heard.first(1)[0]
        await withCheckedContinuation { done in courier.stop(within: 60) { done.resume() } }
        return first
    }

    @Test func `a mail that waits for a relay goes to the sink that takes its place`() async throws {
        #expect(try await heard(of: Self.relay, then: Self.spool).hasSuffix(" email delivered"))
        #expect(try scratch.names("/d").contains("00000000000000000001.json"))
    }

    @Test func `one that waits for a sink goes to the relay that takes its place`() async throws {
        let first = try await heard(of: Self.spool, then: Self.relay)
        #expect(first.hasPrefix("smtp could not be reached"), "\(first)")
        #expect(try scratch.names("/d").filter { $0.hasSuffix(".json") }.isEmpty)
    }

    @Test func `what has gone over goes back with the document before, and over once more`() async throws {
        let first = try await heard(of: Self.relay, then: Self.spool, Self.relay, Self.spool)
        #expect(first.hasSuffix(" email delivered"), "\(first)")
        #expect(try scratch.names("/d").contains("00000000000000000001.json"))
    }

    @Test func `with nobody named any more it goes to the sinks of the command line`() async throws {
        let sink = TakingSink()
        #expect(try await heard(of: Self.relay, then: "", besides: [sink]).hasSuffix(" email delivered"))
        #expect(sink.orders.values.map(\.job.channels) == [[.email]])
    }

    @Test func `what a sink has for several channels stays together`() throws {
        let sorting = Sorting(
            rules: PostRules(channels: [.push, .email], fallback: [], push: [.fcm]), sinks: [], carrier: { _ in 1 },
            address: { _ in nil }, whyNone: { $0.name })
        let sink = Target(carrier: 0, address: .sink)
        #expect(try sorting.moved(sink, [.push, .email], Self.anna) == nil)
        #expect(try sorting.moved(sink, [.email], Self.anna)?.targets == [Target(carrier: 1, address: .email)])
        #expect(try sorting.moved(Target(carrier: 1, address: .email), [.email], Self.anna) == nil)
    }
}
