import Testing

/// Where no worker runs, a command that takes its part decides for everybody who is due, unless its order is refused.
@Suite("orders that the log refuses")
struct RefusedOrderTests {
    let shell = Shell()

    /// Anna's alert was held until the morning after, which is long past.
    @Test(arguments: [
        ["erase", "--user", "nobody", "--yes"], ["test", "--user", "nobody", "--kind", "alert"],
        ["test", "--user", "anna", "--kind", "alarm"], ["retry", "--job", "anna/nope"],
        ["retry", "--job", "anna/alert/#3"], ["retry", "--user", "nobody"],
    ])
    func `decide for nobody`(words: [String]) {
        shell.importing(Histories.anna + fact(user: "bert", at: tuesday("06:00:00")))
        let log = shell.belfry("log")
        let anna = shell.belfry("log", "--user", "anna")
        let refused = shell.belfry(words, input: [])
        #expect(refused.code == (words.contains("--job") ? 1 : 3), "\(refused)")
        #expect(shell.belfry("log") == log)
        // What is taken does decide.
        #expect(shell.belfry("test", "--user", "bert", "--kind", "alert").code == 0)
        #expect(shell.belfry("log", "--user", "anna").lines.count > anna.lines.count)
    }

    @Test(arguments: [
        ["erase", "--user", "anna", "--yes"], ["test", "--user", "anna", "--kind", "check_in"],
        ["retry", "--user", "anna"],
    ])
    func `begin no log where there is none`(words: [String]) {
        let outcome = shell.belfry(words + ["--data", "typo"], input: [])
        #expect(outcome == .failed(5, "there is no log in typo. `belfry append --data typo FILE` begins one"))
        #expect(shell.names(in: ".") == [])
    }

    @Test func `a log from which nobody can be erased is left as it is`() throws {
        try shell.writeLog(events: 1...3)
        let log = shell.belfry("log")
        let refused = shell.belfry("erase", "--user", "u0", "--yes")
        #expect(refused.code == 3 && refused.errors.contains("nobody can be erased from it"), "\(refused)")
        #expect(shell.belfry("log") == log)
    }

    @Test(arguments: ["erase", "test", "retry", "append"])
    func `their help says for whom they decide`(command: String) {
        #expect(shell.belfry(command, "--help").output.contains("also for everybody else who is due"))
    }
}
