import Foundation
import Testing

/// A worker whose senders' document names sinks beside providers.
@Suite("belfry run --senders, sinks of the document (N1)", .withProviders)
final class DocumentSinksTests: SendersBench {
    private static let sinks = #""email":{"spool":{"directory":"mails"}},"all":{"spool":{"directory":"rest"}}"#

    private func jobs(_ folder: String) -> [String] {
        shell.names(in: folder).filter { $0.hasSuffix(".json") }.sorted().compactMap {
            (try? shell.read("\(folder)/\($0)")).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `each channel goes where the document says, and an erasure clears all of it`() throws {
        let provider = try Provider(.push, shell)
        let (worker, door) = try start("{\(try push(provider)),\(Self.sinks)}")
        #expect(worker.complaint(of: "--jobs is given nothing: the senders' document names a sink") != nil)
        _ = door.append(enrol() + register("phone", "good"))
        _ = door.append(request("both"))
        #expect(try events("job_delivered", 2, while: worker).count == 2)
        #expect(lines("job_delivered").count { $0.contains(#""channel":"email""#) } == 1)
        #expect(jobs("mails").count == 1 && jobs("mails")[0].contains(#""channels":["email"]"#))
        #expect(jobs("rest").isEmpty && jobs("spool").isEmpty)
        #expect(try provider.end().count == 1)
        // A directory that is new waits for a restart; the senders stay as they were.
        try shell.write("{\(Self.sinks.replacing("mails", with: "letters"))}", to: "senders.json")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "letters was not named when the worker started") != nil)
        _ = door.append(request("mail"))
        _ = try events("job_delivered", 3, while: worker)
        #expect(jobs("mails").count == 2)
        // One that leaves a channel to "all" is taken.
        try shell.write(#"{"all":{"spool":{"directory":"rest"}}}"#, to: "senders.json")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the senders' document was read again") != nil)
        _ = door.append(request("both"))
        _ = try events("job_delivered", 5, while: worker)
        #expect(jobs("rest").count == 1 && jobs("rest")[0].contains(#""channels":["push","email"]"#))
        let erased = shell.belfry("erase", "--user", "anna", "--yes")
        #expect(erased.code == 0, "\(erased)")
        // What was put where the document leads no more goes as well.
        #expect(jobs("rest").isEmpty && jobs("mails").isEmpty)
        #expect(erased.output.contains("1 job in the spool ./rest"), "\(erased)")
        #expect(erased.output.contains("2 jobs in the spool ./mails"))
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }

    @Test func `what an erasure without a worker left in a spool of the document goes at the next start`() throws {
        let (first, door) = try start("{\(Self.sinks)}")
        _ = door.append(enrol() + request("mail"))
        _ = try events("job_delivered", 1, while: first)
        first.send(signal: SIGTERM)
        #expect(first.waitForEnd().code == 0)
        #expect(shell.belfry("erase", "--user", "anna", "--yes").code == 0)
        #expect(jobs("mails").count == 1)
        let (second, _) = try start("{\(Self.sinks)}")
        #expect(jobs("mails").isEmpty)
        second.send(signal: SIGTERM)
        #expect(second.waitForEnd().code == 0)
    }

    @Test func `what gives way reaches the sink of another channel (N4)`() throws {
        let provider = try Provider(.push, shell)
        let (worker, door) = try start("{\(try push(provider, isGivingWay: true)),\(Self.sinks)}")
        _ = door.append(enrol())
        _ = door.append(request("note"))
        _ = try events("job_delivered", 1, while: worker)
        #expect(lines("job_delivered").first?.contains(#""channel":"email""#) == true)
        #expect(jobs("mails").count == 1 && jobs("mails")[0].contains(#""channels":["email"]"#))
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
    }
}
