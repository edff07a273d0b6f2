import CivilTime
import Console
import Journal
import Notices
import Worker

/// What the commands about one person share: whom, as of when, and their story out of the log.
enum PersonCommands {
    static let user = CommandSpec.Option(name: "--user", value: "U", help: "the person")
    static let at = CommandSpec.Option(
        name: "--at", value: "T|SEQ", help: "as of an instant or an event's number (default: the end of the log)")
    static let atNote =
        "An event's number stands for the whole commit that holds it: a fact with what was decided because of it."

    static let endNote =
        "An instant behind the end of the log shows what is decided by that end; `belfry explain` foretells what comes."

    static func user(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) -> String {
        guard let user = arguments[Self.user] else { throw .usage("\(spec.name) needs --user", spec) }
        return user
    }

    /// Prints the answer to a question about one person: of the worker where one runs, else out of the log.
    ///
    /// - Parameter question: how a worker is asked; `nil` for what only the log can be asked.
    static func answer(
        _ question: PathAndQuery?, about user: String, _ arguments: Arguments, _ world: World,
        _ answer: (PersonAnswers) throws(Unanswered) -> PersonAnswer
    ) throws(Failure) {
        let isJSON = arguments.has(CommandSpec.json)
        if let question, let worker = WorkerClient(World.dataDirectory(arguments)),
            let body = try worker.ask(question, wantsText: !isJSON)
        {
            return tell(body, isJSON: isJSON, world.output)
        }
        let zones = try world.zones()
        let directory = try world.directory(arguments).whole()
        let log = try world.log(at: directory.log(of: user))
        do throws(Unanswered) {
            let answers = PersonAnswers(
                source: try StorySource(of: user, in: log), zones: zones, clock: world.clock,
                partition: LogName(of: user, among: directory.partitions).number)
            tell(try answer(answers).body(isJSON: isJSON), isJSON: isJSON, world.output)
        } catch {
            throw Failure(error)
        }
    }

    static func tell(_ body: [UInt8], isJSON: Bool, _ output: Output) {
        guard !body.isEmpty else { return }
        if isJSON {
            output.line { line in body.withUnsafeBytes { line.append($0) } }
        } else {
            output.lines(String(decoding: body, as: UTF8.self))
        }
    }

    /// In force until a log adopts its first policy.
    static var standard: Rulebook {
        guard let text = ShippedPolicies.text(of: "standard"), let policy = try? Policy(document: text) else {
            preconditionFailure("the shipped standard policy cannot be read")
        }
        return Rulebook(policy)
    }

    /// What is in force until a log adopts its first policy, for each core its own: objects whose references several cores count
    /// slow all of them.
    static func plans(for cores: Cores, _ world: World) throws(Failure) -> [Plan] {
        var plans: [Plan] = []
        for _ in 0..<cores.count {
            let zones = try world.zones()
            plans.append(Plan(standard, zone: { try? zones.zone(named: $0) }))
        }
        return plans
    }
}

extension Instant {
    /// As a support person would read it: on the person's own clock, with the zone.
    func told(in zone: ZoneRules) -> String {
        let local = zone.local(at: self)
        return "\(local.date.weekday.name) \(local.date) \(local.time) (\(zone.name); \(self))"
    }
}
