import Testing

@Suite("belfry completions")
struct CompletionTests {
    let shell = Shell()
    /// Whoever opens a log may have to say what opens its keys; a cluster's has none.
    private static var options: [String: [String]] {
        ownOptions.reduce(into: [:]) { all, own in
            let opensKeys = own.value.contains("--data") && own.key != "cluster"
            all[own.key] = own.value + (opensKeys ? ["--master-key-file", "--master-key-command"] : [])
        }
    }

    private static let ownOptions: [String: [String]] = [
        "run": [
            "--data", "--partitions", "--postgres", "--advertise", "--lease", "--policy", "--jobs",
            "--webhook-secret-file", "--senders", "--public-listen",
            "--listen", "--token-file", "--tokens", "--host", "--origin", "--connections-per-address", "--log-level",
        ],
        "run-now": ["--user", "--kind", "--force", "--dry-run", "--data", "--json"],
        "append": ["--data", "--all-or-nothing", "--json"],
        "log": ["--data", "--postgres", "--partition", "--user", "--type", "--from", "--to", "--follow", "--json"],
        "verify": ["--data", "--postgres", "--partition", "--json"],
        "import": ["--data", "--policy", "--until", "--warnings", "--cores", "--json"],
        "simulate": ["--policy", "--until", "--facts", "--warnings", "--cores", "--json"],
        "state": ["--user", "--at", "--data", "--json"],
        "people": ["--prefix", "--with", "--limit", "--after", "--data", "--json"],
        "explain": [
            "--user", "--kind", "--subject", "--priority", "--at", "--notice", "--all", "--data", "--json",
        ],
        "export": ["--user", "--data", "--json"],
        "erase": ["--user", "--yes", "--data", "--json"],
        "retry": ["--job", "--user", "--failed-since", "--data", "--json"],
        "test": ["--user", "--kind", "--channel", "--data", "--json"],
        "history": ["--user", "--status", "--days", "--at", "--data", "--json"],
        "what-if": [
            "--policy", "--from", "--to", "--cores", "--data", "--postgres", "--partition", "--json", "--progress",
            "--memory-max",
        ],
        "stats": ["--from", "--to", "--by", "--kind", "--csv", "--data", "--postgres", "--partition", "--json"],
        "audit": ["--cores", "--data", "--postgres", "--partition", "--json"],
        "replay": ["--verify", "--to", "--cores", "--data", "--postgres", "--partition", "--json"],
        "policy": ["--json"],
        "preferences": ["--user", "--patch", "--data", "--json"],
        "preset": ["--user", "--data", "--json"],
        "snapshot": ["--data", "--partition", "--postgres", "--json"],
        "senders": ["--json"],
        "token": ["--tokens", "--name", "--role", "--expires", "--days", "--json"],
        "doctor": ["--data", "--listen", "--token-file", "--webhook-secret-file", "--postgres", "--json"],
        "cluster": [
            "--postgres", "--partitions", "--without-seals", "--data", "--json", "--master-key-file",
            "--master-key-command",
        ],
        "completions": [],
    ]

    init() throws {
        for name in ["bash", "zsh", "fish"] {
            try shell.write(shell.belfry("completions", name).output, to: name)
        }
    }

    /// The options of a command that a script of zsh or fish has, as they stand there.
    private static func offered(of command: String, by script: String, of name: String) -> [String] {
        let lines = script.split(separator: "\n")
        if name == "fish" {
            return lines.filter { $0.contains("'__fish_seen_subcommand_from \(command)'") }
                .compactMap { $0.firstMatch(of: #/ -l ([a-z-]+) /#).map { "--\($0.1)" } }
        }
        return lines.drop { $0 != "        \(command)) _arguments \\" }.dropFirst()
            .prefix { !$0.contains(") _arguments ") }
            .compactMap { $0.firstMatch(of: /^ +'(--[a-z-]+)/).map { String($0.1) } }
    }

    /// What bash offers for the last of these words.
    private func offered(_ words: String...) -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let outcome = shell.bash(
            "source ./bash; COMP_WORDS=(belfry \(list)); COMP_CWORD=\(words.count); _belfry; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        #expect((outcome.code, outcome.errors) == (0, ""))
        return outcome.lines
    }

    @Test func `every command and every option is in all three`() throws {
        for name in ["bash", "zsh", "fish"] {
            let script = String(decoding: try shell.read(name), as: UTF8.self)
            for (command, options) in Self.options {
                #expect(script.contains(command), "\(command) in \(name)")
                // bash is asked for them below.
                guard name != "bash" else { continue }
                let offered = Self.offered(of: command, by: script, of: name)
                #expect(offered == options + ["--help"], "\(command) in \(name)")
            }
        }
        // The list above is the program's own.
        for (command, options) in Self.options {
            let found = shell.belfry(command, "--help").output.matches(of: #/\n  (--[a-z-]+)/#).map { String($0.1) }
            #expect(found == options + ["--help"])
        }
    }

    @Test func `bash completes commands and options`() {
        #expect(shell.bash("bash -n bash").code == 0)
        #expect(offered("").sorted() == (Self.options.keys + ["--help", "--version"]).sorted())
        #expect(offered("ver") == ["verify"])
        #expect(offered("nonsense", "") == [])
        for (command, options) in Self.options {
            #expect(offered(command, "--") == options + ["--help"])
        }
        #expect(offered("log", "--fo") == ["--follow"])
        #expect(offered("log", "--type", "user_e") == ["user_enrolled"])
        #expect(offered("log", "--user", "") == [])
        #expect(offered("completions", "") == ["bash", "zsh", "fish"])
        #expect(offered("policy", "show", "stan") == ["standard"])
        #expect(offered("policy", "check", "coa") == ["coachme"])
        #expect(offered("policy", "list", "") == [])
        #expect(offered("senders", "keys", "") == ["vapid", "secret", "public"])
        #expect(offered("senders", "keys", "va") == ["vapid"])
    }

    @Test func `bash completes files and directories, whatever their names`() throws {
        try shell.makeDirectory("some log")
        try shell.write("", to: "some facts.jsonl")
        #expect(offered("append", "some").sorted() == ["some facts.jsonl", "some log"])
        #expect(offered("log", "--data", "some") == ["some log"])
        #expect(offered("log", "--data", "=", "some") == ["some log"])
        #expect(offered("log", "--data", "=").contains("some log"))
        try shell.write("{}", to: "standard of mine.json")
        #expect(offered("run", "--policy", "standard").sorted() == ["standard", "standard of mine.json"])
        #expect(offered("policy", "check", "standard").sorted() == ["standard", "standard of mine.json"])
        #expect(offered("senders", "check", "some f") == ["some facts.jsonl"])
        #expect(offered("senders", "keys", "vapid", "some f") == ["some facts.jsonl"])
    }

    @Test(.enabled(if: Machine.has("zsh"), "zsh is not installed")) func `zsh reads its script`() {
        #expect(shell.bash("zsh -n zsh") == .done())
    }

    @Test(.enabled(if: Machine.has("fish"), "fish is not installed")) func `fish reads its script`() {
        #expect(shell.bash("fish -n fish") == .done())
    }
}
