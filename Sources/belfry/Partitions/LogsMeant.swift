import Console
import Journal
import Notices

/// Which logs of a directory a command is about: the only one, the partition that is named, or all.
struct LogsMeant {
    let directory: DataDirectory
    let names: [LogName]

    /// - Parameter withEveryone: whether what is about everyone is meant where no partition is named.
    init(_ arguments: Arguments, _ world: World, withEveryone: Bool, _ spec: CommandSpec) throws(Failure) {
        directory = try world.directory(arguments)
        guard let word = arguments[CommandSpec.partition] else {
            names = withEveryone ? directory.allNames : directory.names
            return
        }
        guard let count = directory.partitions else {
            // Where there is no log at all, that is what to say.
            _ = try world.log(at: directory.path)
            throw .usage("\(directory.path) holds one log, so there is no --partition \(word)", spec)
        }
        if word == LogName.everyone.text {
            names = [.everyone]
        } else if let number = Int(word), (0..<count).contains(number) {
            names = [.partition(number)]
        } else {
            throw .usage("--partition takes a number from 0 to \(count - 1), or everyone, not \"\(word)\"", spec)
        }
    }

    /// The log that is meant, for commands that are about one.
    func one(_ spec: CommandSpec) throws(Failure) -> LogName {
        guard names.count == 1 else {
            throw .usage(
                "\(directory.path) has \(counted(directory.partitions ?? 0, "partition")); name one with --partition\(spec.options.contains { $0.name == PersonCommands.user.name } ? ", or somebody with --user" : "")",
                spec)
        }
        return names[0]
    }

    /// Whether each log has to say which it is.
    var areSeveral: Bool { directory.partitions != nil }

    /// Does something with each log. What is found wrong in one keeps no other from being looked at, and is said at the end.
    ///
    /// - Parameter heads: whether people are told which log comes next.
    func forEach(
        _ world: World, heads: Bool, _ body: (LogName, LogReader) throws(Failure) -> Void
    ) throws(Failure) {
        _ = try directory.whole()
        var failures: [(name: LogName, failure: Failure)] = []
        for name in names {
            if heads, areSeveral { world.output.line(name.told) }
            do throws(Failure) {
                try body(name, try world.log(at: directory.log(name)))
            } catch {
                guard areSeveral else { throw error }
                failures.append((name, error))
            }
        }
        // Damage goes before everything else.
        let worst = failures.first { $0.failure.code == .damaged } ?? failures.first
        guard var failure = worst?.failure else { return }
        let sentences = failures.flatMap { name, failure in
            ["\(name.told): \(failure.message)"] + failure.further
        }
        failure = Failure(failure.code, sentences[0], further: Array(sentences.dropFirst()))
        throw failure
    }
}
