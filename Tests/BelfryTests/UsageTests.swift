import Testing

@Suite("Usage")
struct UsageTests {
    let shell = Shell()
    private static let commands = [
        "run", "run-now", "append", "import", "simulate", "people", "state", "explain", "history", "export", "erase",
        "retry", "test", "log", "policy", "preset", "preferences", "audit", "replay", "what-if", "stats", "verify",
        "snapshot", "senders", "token", "cluster", "doctor", "completions",
    ]

    private static let mistakes: [(words: [String], complaint: String)] = [
        (["lgo"], "there is no command \"lgo\"; `belfry --help` lists them"),
        ([""], "there is no command \"\"; `belfry --help` lists them"),
        (["--data", "x", "log"], "there is no command \"--data\"; `belfry --help` lists them"),
        (["help", "lgo"], "there is no command \"lgo\"; `belfry --help` lists them"),
        (["log", "--colour"], "log has no option \"--colour\""),
        (["log", "-u", "anna"], "log has no option \"-u\""),
        (["verify", "--user", "anna"], "verify has no option \"--user\""),
        (["log", "--user"], "--user needs a value, U"),
        (["log", "--user="], "--user needs a value, U"),
        (["append", "--data", ""], "--data needs a value, DIR"),
        (["log", "--user", "anna", "--user", "bert"], "--user is given twice"),
        (["log", "--data=a", "--data=a"], "--data is given twice"),
        (["log", "--json=yes"], "--json takes no value"),
        (["log", "--help=me"], "--help takes no value"),
        (["append", "a", "b"], "append takes one FILE, and \"b\" is a second"),
        (["append", "-", "-"], "append takes one FILE, and \"-\" is a second"),
        (["append", ""], "FILE is empty"),
        (["verify", "events/log"], "\"events/log\" is more than verify takes"),
        (["verify", "--", "--json"], "\"--json\" is more than verify takes"),
        (["completions"], "completions needs SHELL"),
        (["completions", "tcsh"], "there are completions for bash, zsh, fish"),
    ]

    @Test func `run says how many partitions there may be`() {
        #expect(shell.belfry("run", "--help").output.contains("over 2 to 64 logs"))
    }

    @Test func `a mistake is named, and the usage shown`() {
        for (words, complaint) in Self.mistakes {
            let outcome = shell.belfry(words, input: [])
            #expect(outcome.code == 2, "\(words)")
            #expect(outcome.output == "")
            #expect(outcome.errorLines.first == "belfry: \(complaint)")
            if Self.commands.contains(words[0]) {
                #expect(outcome.errorLine(1).hasPrefix("usage: belfry \(words[0])"))
                #expect(outcome.errorLine(2) == "`belfry \(words[0]) --help` tells more")
            }
        }
        #expect(shell.names(in: ".") == [])
    }

    @Test func `without a command it lists them, on standard error`() {
        let outcome = shell.belfry()
        #expect((outcome.code, outcome.output) == (2, ""))
        #expect(outcome.errorLines.first == "belfry: which command?")
        #expect(outcome.errors.contains(shell.belfry("--help").output.dropLast(2)))
    }

    @Test(arguments: ["--help", "-h", "help"]) func `help lists every command and every exit code`(word: String) {
        let outcome = shell.belfry(word)
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(outcome.output.hasPrefix("usage: belfry COMMAND [options]\n"))
        let listed = outcome.output.matches(of: #/\n  ([a-z-]+) /#).map { String($0.1) }
        #expect(listed.sorted() == Self.commands.sorted())
        for code in 0...5 { #expect(outcome.output.contains("\(code) ")) }
    }

    @Test(arguments: commands) func `every command has its help, in every spelling`(command: String) {
        let help = shell.belfry(command, "--help")
        #expect((help.code, help.errors) == (0, ""))
        #expect(help.output.hasPrefix("usage: belfry \(command)"))
        #expect(help.output.contains("\n  --help "))
        #expect(!help.output.hasSuffix("\n\n"))
        #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        #expect(shell.belfry(command, "-h") == help)
        #expect(shell.belfry("help", command) == help)
        #expect(shell.belfry(command, "--json", "--help").code == (["completions", "run"].contains(command) ? 2 : 0))
    }

    @Test func `help for log names every type`() {
        let help = shell.belfry("log", "--help").output
        for type in ["user_enrolled", "run_requested", "notice_held", "worker_started"] {
            #expect(help.contains(type))
        }
    }

    @Test(arguments: ["--version", "version"]) func `the version`(word: String) {
        #expect(shell.belfry(word).output.wholeMatch(of: #/belfry \d+\.\d+\.\d+\n/#) != nil)
    }

    @Test func `a switch given twice is given`() {
        #expect(shell.belfry("append", "--json", "--json", input: fact()) == .done(#"{"line":1,"seq":1}"#))
    }

    @Test func `a value may look like anything, an option only behind an equals sign`() {
        #expect(shell.belfry("append", input: fact(user: "--help") + fact(user: "-")).code == 0)
        #expect(shell.belfry("log", "--user=--help").lines.count == 1)
        #expect(shell.belfry("log", "--user", "--json").code == 2)
        #expect(shell.belfry("log", "--user=-").lines.count == 1)
        #expect(shell.belfry("log", "--user=a=b").errors == "note: the log holds nothing about \"a=b\"\n")
    }

    @Test func `a word that is no text is refused, not taken for another`() {
        let outcome = shell.bash(#""$BELFRY" append --data $'caf\xe9' <<<'\#(fact().dropLast())'"#)
        #expect(outcome == .failed(2, "argument 3 is not UTF-8; rename the file, or give it on standard input"))
        #expect(shell.names(in: ".") == [])
    }

    @Test(arguments: ["C", "POSIX", "tr_TR.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8", "xx"])
    func `the locale changes nothing`(locale: String) throws {
        try shell.writeLog(events: 1...3)
        let settings = ["LC_ALL": locale, "LANG": locale]
        for words in [
            ["log"], ["verify"], ["log", "--from", "x"], ["append", "nowhere"], ["verify", "--data", "/etc/hostname"],
        ] {
            #expect(shell.belfry(words, input: [], environment: settings) == shell.belfry(words, input: []))
        }
    }
}
