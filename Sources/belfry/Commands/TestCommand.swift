import Console
import Journal
import Notices
import Worker

/// `belfry test`: a sample of a kind to one person's own devices (`N8`).
enum TestCommand: Command {
    private static let kind = CommandSpec.Option(name: "--kind", value: "K", help: "the kind to send a sample of")
    private static let channel = CommandSpec.Option(
        name: "--channel", value: "C", help: "only on this channel", completion: .words(Channel.names))

    static let spec = CommandSpec(
        name: "test", summary: "Sends one person a sample of a kind, to see that it arrives.", positional: nil,
        options: [PersonCommands.user, kind, channel, CommandSpec.data, CommandSpec.json],
        notes: """
            The sample has "Test" in front. The only rule it must pass is that the person gets this kind on a channel
            that reaches them. It counts for nothing and stands in their history as a test. Exit 1 if nothing was sent.
            \(WorkerClient.patienceNote)
            \(LoneWorker.decidingNote)
            """, needs: [PersonCommands.user, kind])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let order = try order(arguments)
        let directory = World.dataDirectory(arguments)
        let (decisions, isRunning) = try FactTaking.with(
            directory, command: "test", knowing: order.user, world,
            // Of a cluster this machine has a copy of the log, if any: whoever owns it says what came of it.
            running: { worker throws(Failure) in (try worker.test(order), true) },
            alone: { worker throws(Failure) in
                let seq = try ask(order, of: worker)
                let log = try world.directory(arguments).log(of: order.user)
                do throws(JournalError) {
                    let sample = Sample(seq: seq, user: order.user)
                    return (try sample.decisions(log, world.disk).map(\.event.line), false)
                } catch {
                    throw Failure(error)
                }
            })
        try tell(decisions, order, isRunning, arguments.has(CommandSpec.json), world.output)
    }

    private static func order(_ arguments: Arguments) throws(Failure) -> TestOrder {
        let user = try PersonCommands.user(arguments, spec)
        guard Identifier.isAccepted(user) else { throw Failure(.badInput, "\(quoted(user)) is no id of a person") }
        guard let kind = arguments[kind] else { throw .usage("test needs --kind", spec) }
        var order = TestOrder(user: user, kind: kind)
        if let word = arguments[channel] {
            guard let known = Channel(name: word) else {
                throw .usage("--channel takes \(Channel.names.joined(separator: ", ")), not \"\(word)\"", spec)
            }
            order.channel = known
        }
        return order
    }

    /// The number of the fact that asks for it.
    private static func ask(_ order: TestOrder, of worker: LoneWorker) throws(Failure) -> UInt64 {
        let fact = OwnFacts.fact("test_requested", about: order.user, order.members)
        switch try OwnFacts(taker: worker).append([fact]).first {
        case .recorded(let seq, warnings: _)?, .duplicate(let seq)?: return seq
        case .refused(let problem)?: throw Failure(.badInput, "\(problem)")
        case .leftOut?, nil: throw Failure(.environment, "nothing was said of the test; ask again")
        }
    }

    /// - Parameter decisions: as the log prints them.
    private static func tell(
        _ decisions: [[UInt8]], _ order: TestOrder, _ isRunning: Bool, _ isJSON: Bool, _ output: Output
    ) throws(Failure) {
        var told = RunNowOutput(isJSON: isJSON, output)
        var jobs = 0
        for decision in decisions {
            let printed = JSONValue(parsing: String(decoding: decision, as: UTF8.self))
            if printed?["type"]?.string == JobEmitted.type.text {
                jobs += 1
                told.tell(decision)
            } else {
                told.note(printed: decision)
            }
        }
        told.finish()
        guard jobs > 0 else { throw Failure(.no, "no test was sent to \(order.user): \(order.whyNone)") }
        if !isRunning, !isJSON { output.line("no worker runs: the next `belfry run` sends it") }
    }
}

extension TestOrder {
    /// What can be in the way of a test (`P6`).
    fileprivate var whyNone: String {
        guard let channel else { return "\(kind) goes to them on no channel that reaches them" }
        return "\(kind) does not go to them on \(channel.name), or \(channel.name) does not reach them"
    }

    /// As the fact and the API say it.
    var members: [JSONValue.Member] {
        [.init("kind", .string(kind))] + (channel.map { [.init("channel", .string($0.name))] } ?? [])
    }
}

/// A test that was asked for, and what the log says came of it.
struct Sample {
    /// The number of the fact that asked for it.
    let seq: UInt64
    let user: String

    /// What was decided stands right behind the fact.
    private static let eventsMax: UInt64 = 16

    func decisions(_ directory: String, _ disk: any Disk) throws(JournalError) -> [RunJobs.Found] {
        let jobs = RunJobs(
            firstSeq: seq, lastSeq: seq + Self.eventsMax, users: [user], directory: directory, disk: disk)
        var found: [RunJobs.Found] = []
        try jobs.forEach { decision in
            switch decision {
            case .job(let event):
                guard case .jobEmitted(let job) = event.payload, job.isTest == true, job.job.cause == seq else {
                    return
                }
                found.append(decision)
            case .unsent(let event):
                guard case .noticeDropped(let dropped) = event.payload, dropped.notice.cause == seq else { return }
                found.append(decision)
            }
        }
        return found
    }
}
