import Journal

/// What a command ends with (SPEC §13).
enum ExitCode: Int32 {
    case done = 0
    /// The answer is no: a check failed.
    case no = 1
    case wrongUsage = 2
    case badInput = 3
    case damaged = 4
    case environment = 5
}

/// Why a command did not do what it was asked, and the exit code that says so.
struct Failure: Error {
    var code: ExitCode
    /// A sentence, in a line.
    var message: String
    /// What is said below it, a line each.
    var further: [String]

    init(_ code: ExitCode, _ message: String, further: [String] = []) {
        self.code = code
        self.message = message
        self.further = further
    }

    /// Several sentences of the same kind, a line each.
    init(_ code: ExitCode, _ sentences: [String]) {
        self.init(code, sentences.first ?? "", further: sentences.dropFirst().map { "belfry: " + $0 })
    }

    /// All of it in one line, where a log is told.
    var sentence: String {
        let prefix = "belfry: "
        let rest = further.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        return ([message] + rest).joined(separator: "; ")
    }

    static func usage(_ message: String, _ spec: CommandSpec) -> Failure {
        Failure(
            .wrongUsage, message, further: ["usage: \(spec.usage)", "`belfry \(spec.name) --help` tells more"])
    }

    init(_ error: JournalError) {
        let code: ExitCode
        switch error {
        case .damaged: code = .damaged
        case .keys: code = .environment
        case .lost, .disk, .newerFormat, .inUse, .notALog, .notMine, .noLog, .halfImported, .displaced, .tooLarge,
            .closed, .stopped:
            code = .environment
        }
        self.init(code, "\(error)")
    }
}
