import CivilTime
import Delivery
import Dispatch
import Notices
import Synchronization

/// `belfry senders`: whether the senders of a document would work, and the keys that it names (`N1`).
enum SendersCommand: Command {
    private static let actions = ["check", "keys"]
    private static let keys = ["vapid", "secret", "public"]

    static let spec = CommandSpec(
        name: "senders",
        summary: "Checks the document of --senders without sending anything, and makes the keys that it names.",
        positional: CommandSpec.Positional(name: "check|keys", isRequired: true, completion: .words(actions)),
        second: CommandSpec.Positional(
            name: "FILE|vapid|secret|public", isRequired: false,
            completion: .after([("check", .file), ("keys", .words(keys))])),
        third: CommandSpec.Positional(name: "FILE", isRequired: false, completion: .after([("keys", .file)])),
        options: [CommandSpec.json],
        notes: """
            belfry senders check FILE         reads the document and every secret it names, connects to each provider
                                              without sending anything, and says what is wrong and what to do
            belfry senders keys vapid FILE    makes a key for web push and prints the public key for browsers
            belfry senders keys public FILE   prints the public key of one that was made before
            belfry senders keys secret FILE   makes a secret to sign links and bounce addresses with

            An existing file is never overwritten. Exit codes of check: 0 all is well, 1 something needs attention,
            3 the document cannot be read.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let isJSON = arguments.has(CommandSpec.json)
        switch (arguments.positional, arguments.second, arguments.third) {
        case ("check", let file?, nil): try check(file, world, isJSON)
        case ("check", _?, let word?): throw .usage("\"\(word)\" is more than senders check takes", spec)
        case ("check", nil, _): throw .usage("senders check needs FILE, the document of --senders", spec)
        case ("keys", let what?, let file?): try makeKeys(what, file, world.output, isJSON)
        case ("keys", _, _): throw .usage("senders keys needs vapid, secret or public, and FILE", spec)
        case (let word, _, _): throw .usage("senders takes check or keys, not \"\(word ?? "")\"", spec)
        }
    }

    // MARK: Checking

    private static func check(_ file: String, _ world: World, _ isJSON: Bool) throws(Failure) {
        let document: SendersDocument
        do throws(SendersError) { document = try SendersDocument.read(file) } catch {
            if isJSON { world.output.line { write(nil, false, "\(error)", nil, into: &$0) } }
            throw Failure(.badInput, "\(file): \(error)")
        }
        let findings = findings(document, clock: world.clock)
        let width = findings.map { $0.sender.count }.max() ?? 0
        for finding in findings {
            guard isJSON else {
                tell(finding, width, world.output)
                continue
            }
            world.output.line { write(finding.sender, finding.isWell, finding.detail, finding.cure, into: &$0) }
        }
        if findings.isEmpty, !isJSON { world.output.line("no sender is named: every job goes where --jobs says") }
        let ailing = findings.filter { !$0.isWell }.map(\.sender)
        if !ailing.isEmpty { throw Failure(.no, "needs attention: \(ailing.joined(separator: ", "))") }
    }

    /// Waits for the slowest of them, which has its time.
    private static func findings(
        _ document: SendersDocument, clock: @escaping @Sendable () -> Instant
    ) -> [SenderFinding] {
        let found = Mutex<[SenderFinding]>([])
        let isDone = DispatchSemaphore(value: 0)
        SendersCheck(document, clock: clock).run { findings in
            found.withLock { $0 = findings }
            isDone.signal()
        }
        isDone.wait()
        return found.withLock { $0 }
    }

    private static func tell(_ finding: SenderFinding, _ width: Int, _ output: Output) {
        let label = finding.sender + String(repeating: " ", count: width - finding.sender.count)
        output.line("\(finding.isWell ? "ok   " : "FAIL ") \(label)  \(finding.detail)")
        if let cure = finding.cure { output.line("      \(String(repeating: " ", count: width))  to do: \(cure)") }
    }

    /// - Parameter sender: `nil` for what is wrong with the document itself.
    private static func write(
        _ sender: String?, _ isWell: Bool, _ detail: String, _ cure: String?, into line: inout ByteBuffer
    ) {
        JSONValue.object([
            .init("sender", sender.map { .string($0) } ?? .null), .init("ok", .bool(isWell)),
            .init("detail", .string(detail)), .init("cure", cure.map { .string($0) } ?? .null),
        ]).write(into: &line)
    }

    // MARK: Keys

    private static func makeKeys(
        _ what: String, _ file: String, _ output: Output, _ isJSON: Bool
    ) throws(Failure) {
        guard keys.contains(what) else {
            throw .usage("senders keys takes vapid, secret or public, not \"\(what)\"", spec)
        }
        do throws(SenderKeyError) {
            switch what {
            case "vapid": tell(try SenderKeys.makeVAPID(file), file, output, isJSON)
            case "public": tell(try SenderKeys.publicKey(ofVAPID: file), file, output, isJSON)
            default:
                try SenderKeys.makeSecret(file)
                tell(nil, file, output, isJSON)
            }
        } catch {
            if case .failed = error { throw Failure(.environment, "\(error)") }
            throw Failure(.badInput, "\(error)")
        }
    }

    /// A public key alone on its line, so that a script can take it.
    private static func tell(_ publicKey: String?, _ file: String, _ output: Output, _ isJSON: Bool) {
        guard isJSON else {
            return output.line(publicKey ?? "\(file) holds a new secret; name it as secret_file")
        }
        let members =
            [JSONValue.Member("file", .string(file))]
            + (publicKey.map { [.init("public_key", .string($0))] } ?? [])
        output.line { JSONValue.object(members).write(into: &$0) }
    }
}
