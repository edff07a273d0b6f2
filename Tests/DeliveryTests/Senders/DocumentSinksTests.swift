import CivilTime
import Foundation
import Notices
import Testing

@testable import Delivery

/// A document may name a sink for a channel, or for all that is left.
@Suite("N1, sinks in the senders' document", .unlessItHangs)
struct DocumentSinksTests {
    private let scratch: Scratch
    private let rack = SinkRack()

    init() throws { scratch = try Scratch() }

    private func document(_ text: String) throws -> SendersDocument {
        try SendersDocument(text, folder: scratch.path)
    }

    private func open(_ text: String) throws -> OpenSenders {
        try OpenSenders(try document(text), ownSecret: [], clock: { newYear }, rack: rack)
    }

    private func refusal(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)".replacing(scratch.path + "/", with: "") }
        return "nothing"
    }

    private func secret(_ text: String, _ name: String) throws {
        let path = try scratch.write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func close(_ senders: OpenSenders) async {
        await withCheckedContinuation { done in senders.close { done.resume() } }
    }

    private static let twilio =
        #""twilio":{"account":"AC00000000000000000000000000000000","token_file":"k","from":"Belfry"}"#

    @Test func `each sink is read, for a channel or for all that is left`() throws {
        let read = try document(
            """
            {"push":{"stdout":{}},"email":{"fallback":true,"spool":{"directory":"mails"}},
             "in_app":{"webhook":{"url":"http://bell.example/hook","secret_file":"s","calls":3,"per_second":7}},
             "all":{"webhook":{"url_file":"u","secret_file":"s"}}}
            """)
        #expect(
            read.sinks.map { "\($0.path) \($0.channel?.name ?? "-")" } == [
                "push.stdout push", "email.spool email", "in_app.webhook in_app", "all.webhook -",
            ])
        #expect(read.sinks[1].kind == .spool(directory: "\(scratch.path)/mails"))
        let limits = SendersDocument.Limits(calls: 3, perSecond: 7)
        #expect(
            read.sinks[2].kind
                == .webhook(
                    .init(
                        place: .url("http://bell.example/hook"), secretFile: "\(scratch.path)/s",
                        server: .init(url: nil, caFile: nil, limits: limits))))
        #expect(read.fallback == [.email])
        #expect(read.channels == Set(Channel.allCases) && read.leavesNothing)
        let some = try document(#"{"email":{"stdout":{}},"sms":{\#(Self.twilio)}}"#)
        #expect(some.channels == [.email, .sms] && !some.leavesNothing)
    }

    @Test(arguments: [
        (#"{"all":{}}"#, "all names no sink: write stdout, spool or webhook"),
        (#"{"in_app":{}}"#, "in_app names no sink: write stdout, spool or webhook"),
        (
            #"{"sms":{\#(Self.twilio),"stdout":{}}}"#,
            "sms names both twilio and stdout: a channel has its providers, or one sink that takes their place"
        ),
        (
            #"{"email":{"spool":{"directory":"d"},"stdout":{}}}"#,
            "email names both spool and stdout: a channel has its providers, or one sink that takes their place"
        ),
        (#"{"all":{"fallback":true,"stdout":{}}}"#, "all.fallback is not known here; what is: stdout, spool, webhook"),
        (#"{"all":{"stdout":{"x":1}}}"#, "all.stdout.x is not known here; nothing is"),
        (#"{"all":{"stdout":true}}"#, "all.stdout is not an object"),
        (#"{"all":{"spool":{}}}"#, "all.spool.directory is missing"),
        (
            #"{"all":{"webhook":{"secret_file":"s"}}}"#,
            "all.webhook.url is missing; name it, or the file with it as url_file"
        ),
        (
            #"{"all":{"webhook":{"url":"http://a","url_file":"u","secret_file":"s"}}}"#,
            "all.webhook.url_file stands beside url: name one of them"
        ),
        (
            #"{"all":{"webhook":{"url":"http://a/?hunter2","secret_file":"s"}}}"#,
            "all.webhook.url is not a URL of http or https without a password or a query (url_file is for those)"
        ),
        (#"{"all":{"webhook":{"url":"http://a"}}}"#, "all.webhook.secret_file is missing"),
    ])
    func `what does not belong is refused by its path`(text: String, refused: String) {
        #expect(refusal { _ = try document(text) } == refused)
    }

    @Test func `parts that name the same share it, and what a webhook needs is read`() async throws {
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "s")
        try secret("whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "other")
        try secret("https://bell.example/hook?key=hunter2\n", "u")
        try secret("hunter2", "short")
        let shared = try open(
            """
            {"email":{"webhook":{"url_file":"u","secret_file":"s"}},"sms":{"webhook":{"url_file":"u","secret_file":"s"}},
             "all":{"spool":{"directory":"rest"}}}
            """)
        let posts = shared.sinks.posts
        #expect(posts[.email] == posts[.sms] && posts[.push] == posts[.inApp] && posts[.email] != posts[.push])
        #expect(posts[.email]?.name == "email.webhook" && posts[.push]?.name == "all.spool")
        await close(shared)
        // Another URL, or another secret, is the same place: what waits goes there.
        try secret("https://bell.example/hook?key=next\n", "u")
        let next = try open(#"{"email":{"webhook":{"url_file":"u","secret_file":"other"}}}"#)
        #expect(next.sinks.posts[.email] == posts[.email])
        await close(next)
        try secret("https://bell.example/hook?key=hunter2\n", "u")
        for (part, refused) in [
            (
                #"{"url_file":"u","secret_file":"other"}"#,
                "names the same as email.webhook, with another secret or other limits"
            ),
            (#"{"url_file":"u","secret_file":"s","calls":1}"#, "names the same as email.webhook"),
            (#"{"url_file":"none","secret_file":"s"}"#, "names a file that is of no use"),
            (#"{"url_file":"s","secret_file":"s"}"#, "names s, which does not hold a URL"),
            (#"{"url":"http://a","secret_file":"short"}"#, "names short, which is of no use: line 1 is too short"),
        ] {
            let text = #"{"email":{"webhook":{"url_file":"u","secret_file":"s"}},"sms":{"webhook":\#(part)}}"#
            let said = refusal { _ = try open(text) }
            #expect(said.hasPrefix("sms.webhook") && said.contains(refused), "\(said)")
            #expect(!said.contains("hunter2"))
        }
    }

    @Test func `which channels lead to one sink is told to whoever decides what gives way (N4)`() async throws {
        let text =
            #"{"email":{"spool":{"directory":"d"}},"sms":{"spool":{"directory":"e"}},"all":{"spool":{"directory":"d"}}}"#
        let office = try PostOffice(document(text), open(text))
        let together: Set<ChannelSet> = [[.push, .email, .inApp], .sms]
        let all: ChannelSet = [.push, .email, .sms, .inApp]
        #expect(office.inForce == SendersInForce(channels: all, fallback: [], together: together))
        await withCheckedContinuation { done in office.close { done.resume() } }
    }

    @Test func `a spool stays open while one document gives way to the next, and for erasures after the last`()
        async throws
    {
        let text = #"{"email":{"spool":{"directory":"mails"}}}"#
        let first = try open(text)
        // Another process, or a document that knows nothing of the first, finds it held.
        #expect(
            refusal { _ = try OpenSenders(try document(text), ownSecret: [], clock: { newYear }) }
                .hasPrefix("email.spool cannot be used: cannot spool into mails: cannot lock"))
        let second = try open(text)
        await close(first)
        #expect(refusal { _ = try OpenSenders(try document(text), ownSecret: [], clock: { newYear }) } != "nothing")
        #expect(rack.own.count == 1)
        await close(second)
        #expect(rack.own.count == 1)
        let printed = try open(#"{"email":{"stdout":{}}}"#)
        #expect(rack.own.count == 2)
        await close(printed)
        #expect(rack.own.count == 1)
    }

    @Test func `a directory that comes once the worker runs is not taken, what is open is`() throws {
        let first = try open(#"{"email":{"spool":{"directory":"mails"}}}"#)
        rack.takeNoMoreSpools()
        let both = #"{"email":{"spool":{"directory":"mails"}},"sms":{"spool":{"directory":"texts"}}}"#
        #expect(
            refusal { _ = try open(both) }.hasPrefix("sms.spool cannot be used: texts was not named when the worker"))
        // What was refused has given back what it had taken.
        let again = try open(#"{"sms":{"spool":{"directory":"mails"}}}"#)
        #expect(rack.own.count == 1)
        first.close {}
        again.close {}
    }

    @Test func `what the command line has open is used, and is not closed with the document`() throws {
        let spool = try SpoolSink(directory: "\(scratch.path)/jobs")
        let rack = SinkRack([(.spool(directory: "\(scratch.path)/jobs"), spool), (.stdout, StdoutSink())])
        let text = #"{"email":{"spool":{"directory":"jobs"}},"sms":{"stdout":{}}}"#
        let senders = try OpenSenders(try document(text), ownSecret: [], clock: { newYear }, rack: rack)
        let post = try #require(senders.sinks.posts[.email])
        #expect(senders.sinks[post]?.sink as? SpoolSink === spool)
        #expect(rack.own.isEmpty)
        senders.close {}
        let again = try OpenSenders(try document(text), ownSecret: [], clock: { newYear }, rack: rack)
        #expect(again.sinks[post]?.sink as? SpoolSink === spool)
        again.close {}
    }

    @Test(.enabled(if: Python.path != nil))
    func `a webhook is given the job for its channels alone, signed`() async throws {
        let receiver = try Receiver()
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "s")
        let read = try document(
            #"{"email":{"webhook":{"url":"\#(receiver.address("ok").url)","secret_file":"s"}},"all":{"stdout":{}}}"#)
        let senders = try OpenSenders(read, ownSecret: [], clock: { newYear }, rack: rack)
        let office = PostOffice(read, senders)
        let post = try #require(office.rules.sinks[.email])
        let job = order(1, channels: [.push, .email])
        let verdict = await withCheckedContinuation { told in
            office.send(job, to: .sink(post, [.email]), isLocked: false) { told.resume(returning: $0) }
        }
        #expect(verdict == .taken(providerID: "r-1"))
        let seen = try #require(try receiver.seen().first)
        #expect(
            seen.id == "\(job.id)@email" && seen.body == String(decoding: job.limited(to: [.email]).line, as: UTF8.self)
        )
        #expect(seen.body.contains(#""channels":["email"]"#) && seen.signature != nil)
        #expect(office.limits(of: post) == .init(calls: 64))
        await withCheckedContinuation { done in office.close { done.resume() } }
    }

    @Test(.enabled(if: Python.path != nil))
    func `a pause that a sink of the document asks for is its own (N5)`() async throws {
        let receiver = try Receiver()
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "s")
        let read = try document(
            #"{"all":{"webhook":{"url":"\#(receiver.address("slow-down").url)","secret_file":"s"}}}"#)
        let office = PostOffice(
            read, try OpenSenders(read, ownSecret: [], clock: { newYear }, rack: rack))
        let post = try #require(office.rules.sinks[.email])
        let verdict = await withCheckedContinuation { told in
            office.send(order(1), to: .sink(post, [.push]), isLocked: false) { told.resume(returning: $0) }
        }
        #expect(verdict == .wait(seconds: 7, reason: "answered 429", whom: .sender))
        await withCheckedContinuation { done in office.close { done.resume() } }
    }

    @Test func `senders check says of each whether it would do`() async throws {
        try secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "s")
        _ = try scratch.write("no directory", to: "file")
        let read = try document(
            """
            {"push":{"stdout":{}},"email":{"spool":{"directory":"mails"}},"sms":{"spool":{"directory":"file"}},
             "all":{"webhook":{"url":"http://127.0.0.1:1/x","secret_file":"missing"}}}
            """)
        let findings = await withCheckedContinuation { told in
            SendersCheck(read, clock: { newYear }).run { told.resume(returning: $0) }
        }
        #expect(findings.map(\.sender) == ["push.stdout", "email.spool", "sms.spool", "all.webhook"])
        #expect(findings.map(\.isWell) == [true, true, false, false])
        #expect(findings[1].detail == "the worker makes \(scratch.path)/mails, and puts jobs into it, a file each")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/mails"))
        #expect(findings[2].detail.contains("sms.spool.directory is of no use: cannot use \(scratch.path)/file"))
        try secret("whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "t")
        let twice = OpenSenders.problems(
            try document(
                """
                {"email":{"webhook":{"url":"http://127.0.0.1:1/x","secret_file":"s"}},
                 "sms":{"webhook":{"url":"http://127.0.0.1:1/x","secret_file":"t"}}}
                """))
        #expect(twice.map(\.path) == ["sms.webhook"])
        #expect(findings[3].detail.contains("all.webhook.secret_file names a file that is of no use"))
    }
}
