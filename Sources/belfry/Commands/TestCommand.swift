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
            The sample has "Test" in front. The only rule it must pass is that a channel reaches the person. It counts
            for nothing and stands in their history as a test. Exit 1 if nothing was sent.
            """, needs: [PersonCommands.user, kind])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        guard let kind = arguments[kind] else { throw .usage("test needs --kind", spec) }
        var data: [JSONValue.Member] = [.init("kind", .string(kind))]
        if let word = arguments[channel] {
            guard Channel(name: word) != nil else {
                throw .usage("--channel takes \(Channel.names.joined(separator: ", ")), not \"\(word)\"", spec)
            }
            data.append(.init("channel", .string(word)))
        }
        let directory = World.dataDirectory(arguments)
        var seq: UInt64 = 0
        var isRunning = false
        try FactTaking.with(directory, command: "test", world) { (taker, running) throws(Failure) in
            isRunning = running
            switch try OwnFacts(taker: taker).append([OwnFacts.fact("test_requested", about: user, data)]).first {
            case .appended(let appended, warnings: _)?: seq = appended.seq
            case .refused(let problem)?: throw Failure(.badInput, problem)
            case .withheld?, nil: throw Failure(.environment, "the worker said nothing of the test; ask again")
            }
        }
        let log = try world.directory(arguments).log(of: user)
        try tell(Sample(seq: seq, user: user, kind: kind), log, isRunning, arguments.has(CommandSpec.json), world)
    }

    private static func tell(
        _ sample: Sample, _ directory: String, _ isRunning: Bool, _ isJSON: Bool, _ world: World
    ) throws(Failure) {
        let found: [RunJobs.Found]
        do throws(JournalError) { found = try sample.decisions(directory, world.disk) } catch { throw Failure(error) }
        var told = RunNowOutput(isJSON: isJSON, world.output)
        var jobs = 0
        for decision in found {
            switch decision {
            case .job(let event):
                jobs += 1
                told.tell(event.line)
            case .unsent(let decision): told.note(decision)
            }
        }
        told.finish()
        guard jobs > 0 else { throw Failure(.no, "no test was sent to \(sample.user)") }
        if !isRunning, !isJSON { world.output.line("no worker runs: the next `belfry run` sends it") }
    }
}

/// A test that was asked for, and what the log says came of it.
struct Sample {
    /// The number of the fact that asked for it.
    let seq: UInt64
    let user: String
    let kind: String

    /// What was decided stands right behind the fact.
    private static let eventsMax: UInt64 = 16

    func decisions(_ directory: String, _ disk: any Disk) throws(JournalError) -> [RunJobs.Found] {
        let jobs = RunJobs(
            firstSeq: seq, lastSeq: seq + Self.eventsMax, users: [user], directory: directory, disk: disk)
        var found: [RunJobs.Found] = []
        try jobs.forEach { decision in
            switch decision {
            case .job(let event):
                guard case .jobEmitted(let job) = event.payload, job.isTest == true, job.kind.text == kind else {
                    return
                }
                found.append(decision)
            case .unsent(let event):
                guard case .noticeDropped(let dropped) = event.payload, dropped.kind.text == kind else { return }
                found.append(decision)
            }
        }
        return found
    }
}
