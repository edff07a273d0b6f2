/// The words of a command line, held against what the command takes.
struct Arguments {
    private let spec: CommandSpec
    private(set) var positional: String?
    private(set) var second: String?
    private(set) var third: String?
    private var values: [String: [String]] = [:]
    private var switches: Set<String> = []

    init(_ words: some Sequence<String>, for spec: CommandSpec) throws(Failure) {
        self.spec = spec
        var words = Array(words)[...]
        var onlyPositionals = false
        while let word = words.popFirst() {
            if onlyPositionals || word == "-" || !word.hasPrefix("-") {
                try takePositional(word)
            } else if word == "--" {
                onlyPositionals = true
            } else {
                try takeOption(word, &words)
            }
        }
        if let expected = spec.positional, expected.isRequired, positional == nil, !wantsHelp {
            throw .usage("\(spec.name) needs \(expected.name)", spec)
        }
    }

    var wantsHelp: Bool { switches.contains("--help") }

    subscript(_ option: CommandSpec.Option) -> String? { values[option.name]?.first }

    func all(_ option: CommandSpec.Option) -> [String] { values[option.name] ?? [] }

    func has(_ option: CommandSpec.Option) -> Bool { switches.contains(option.name) }

    /// The same, with a value in place of that of an option.
    func with(_ option: CommandSpec.Option, _ value: String) -> Arguments {
        var arguments = self
        arguments.values[option.name] = [value]
        return arguments
    }

    private mutating func takePositional(_ word: String) throws(Failure) {
        guard let expected = spec.positional else {
            throw .usage("\(quote(word)) is more than \(spec.name) takes", spec)
        }
        let places = [expected, spec.second, spec.third].compactMap { $0 }
        let taken = [positional, second, third].count { $0 != nil }
        guard taken < places.count else {
            let last = places[places.count - 1].name
            throw .usage("\(spec.name) takes one \(last), and \(quote(word)) is a second", spec)
        }
        guard !word.isEmpty else { throw .usage("\(places[taken].name) is empty", spec) }
        switch taken {
        case 0: positional = word
        case 1: second = word
        default: third = word
        }
    }

    private mutating func takeOption(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-h" ? "--help" : String(parts[0])
        guard let option = spec.option(named: name) else {
            throw .usage("\(spec.name) has no option \(quote(name))", spec)
        }
        guard option.value != nil else {
            guard parts.count == 1 else { throw .usage("\(name) takes no value", spec) }
            switches.insert(name)
            return
        }
        guard option.isRepeated || values[name] == nil else { throw .usage("\(name) is given twice", spec) }
        // What looks like an option is one: a value that begins so is written `--data=--odd`.
        let next = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
        guard let value = parts.count == 2 ? String(parts[1]) : next, !value.isEmpty else {
            throw .usage("\(name) needs a value, \(option.value ?? "")", spec)
        }
        if parts.count == 1 { rest.removeFirst() }
        values[name, default: []].append(value)
    }
}

/// A URL may hold a secret wherever it was put by mistake, and what is complained of is often kept in a log.
private func quote(_ word: String) -> String {
    guard let scheme = word.firstRange(of: "://") else { return "\"\(word)\"" }
    return "\"\(word[..<scheme.upperBound])…\""
}
