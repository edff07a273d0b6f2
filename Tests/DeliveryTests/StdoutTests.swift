import Delivery
import Foundation
import Notices
import Testing

@Suite("--jobs stdout", .unlessItHangs)
struct StdoutTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    @Test func `each job is a line, in the order they are handed over`() async throws {
        let pipe = Pipe()
        let sink = StdoutSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let taken = Awaited<SinkOutcome>()
        for seq in 1...100 as ClosedRange<UInt64> { sink.take(order(seq)) { taken.append(contentsOf: [$0]) } }
        #expect(try await taken.first(100).allSatisfy { $0 == .taken })
        try pipe.fileHandleForWriting.close()
        let bytes = try #require(try pipe.fileHandleForReading.readToEnd())
        #expect(Array(bytes) == (1...100).flatMap { order($0).line + [UInt8(ascii: "\n")] })
    }

    @Test func `what would steer a terminal is written in JSON's own escapes`() async throws {
        let pipe = Pipe()
        let sink = StdoutSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var job = JobEmitted()
        job.job = NoticeName("anna/urgent/#1")
        job.kind = Identifier("urgent")
        job.data["note"] = Text("a\u{9B}2J\u{202E}b\u{7F}")
        let order = try #require(Order(Event(seq: 1, at: newYear, user: "anna", payload: .jobEmitted(job))))
        #expect(await sink.take(order) == .taken)
        try pipe.fileHandleForWriting.close()
        let bytes = try #require(try pipe.fileHandleForReading.readToEnd())
        #expect(String(decoding: bytes, as: UTF8.self).contains(#"a\u009b2J\u202eb\u007f"#))
        #expect(
            JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
                == JSONValue(parsing: String(decoding: order.line, as: UTF8.self)))
    }

    @Test func `a reader that went away is a refusal that says so`() async throws {
        let pipe = Pipe()
        let sink = StdoutSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForReading.close()
        #expect(await sink.take(order(1)) == .refused(reason: "could not be written: Broken pipe"))
        await sink.close()
    }

    @Test func `a full disk is told, and the job is tried again`() async throws {
        let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let sink = StdoutSink(descriptor: file.fileDescriptor)
        let outcome = await sink.take(order(1))
        #expect(outcome == .retry(after: nil, reason: "could not be written: No space left on device"))
        await sink.close()
    }
}
