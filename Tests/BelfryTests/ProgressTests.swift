@testable import belfry
import Foundation
import Testing

/// Whoever waits longer than a second at a terminal is told how far it has come; nobody else is.
@Suite(
    "Progress on a terminal", .enabled(if: Machine.has("script"), "script, which makes terminals, is not installed"))
struct ProgressTests {
    let shell = Shell()
    private static let erase = "\r\u{1B}[K"

    /// Runs a line of bash on a terminal of its own, and gives all that it shows.
    private func shown(_ line: String) -> (code: Int32, text: String) {
        let outcome = shell.bash("script --quiet --return --flush --command \(quoted(line)) /dev/null </dev/null")
        return (outcome.code, outcome.output)
    }

    private func quoted(_ line: String) -> String { "'" + line.replacing("'", with: #"'\''"#) + "'" }

    private static func facts(_ count: Int) -> String {
        var text = fact("user_enrolled", at: monday("00:00:00"), data: #"{"timezone":"UTC"}"#)
        let line = fact("points_earned", at: monday("10:00:00"), data: #"{"points":3}"#)
        text.reserveCapacity(count * line.utf8.count)
        for _ in 1..<count { text += line }
        return text
    }

    /// What the line shows for a history that is long enough for this machine: how long that is, the doubling finds out.
    private func longEnough(_ line: String) throws -> (code: Int32, text: String) {
        for count in [20_000, 80_000, 320_000, 1_280_000] {
            // The last line is no fact, so that something is complained of.
            try shell.write(Self.facts(count) + "nonsense\n", to: "facts.jsonl")
            shell.forget("events")
            let shown = shown(line)
            if shown.text.contains("% ") { return shown }
        }
        return (-1, "")
    }

    @Test func `long work shows a bar, a rate and the time left, and takes them away`() throws {
        let (code, text) = try longEnough("\"$BELFRY\" import facts.jsonl --policy standard >printed")
        #expect(code == 3)
        let form = #/importing \[#*·*\] [ 0-9]{3}%  [0-9]+ MiB  [0-9]+\.[0-9] MB\/s  [0-9]+ (s|min) left  [0-9]+ facts/#
        let pieces = text.components(separatedBy: Self.erase)
        #expect(pieces.count >= 3)
        #expect(pieces.first == "")
        let lines = pieces.dropFirst().filter { $0.hasPrefix("importing") }
        for line in lines { #expect(line.wholeMatch(of: form) != nil, "\(line)") }
        let shares = lines.compactMap { $0.firstMatch(of: #/([0-9]+)%/#).flatMap { Int($0.1) } }
        #expect(shares == shares.sorted() && shares.allSatisfy { $0 <= 100 })
        // A complaint begins at the beginning of its line.
        let last = try #require(pieces.last)
        #expect(last.hasPrefix(#"{"line":"#) && last.contains("belfry: 1 line was refused"))
        #expect(shell.belfry("log", "--user", "anna").code == 0)
    }

    /// Whole words, and a bar that gives way first.
    @Test(arguments: [
        (100, "importing [###########·········]  59%  16 MiB  16.8 MB/s  1 s left  194814 facts"),
        (80, "importing [###########········]  59%  16 MiB  16.8 MB/s  1 s left  194814 facts"),
        (70, "importing [#####····]  59%  16 MiB  16.8 MB/s  1 s left  194814 facts"),
        (69, "importing [####····]  59%  16 MiB  16.8 MB/s  1 s left  194814 facts"),
        (68, "importing [####····]  59%  16 MiB  16.8 MB/s  1 s left"),
        (40, "importing [####····]  59%  16 MiB"), (12, "importing ["),
    ])
    func `of a long line what fits is shown`(columns: Int, line: String) {
        let progress = ProgressLine(verb: "importing", done: 16 << 20, total: 27 << 20, seconds: 1)
        #expect(progress.text(detail: "194814 facts", columns: columns) == line)
    }

    @Test func `a narrow terminal is not overrun`() throws {
        let (_, text) = try longEnough("stty cols 45; \"$BELFRY\" simulate facts.jsonl --policy standard >printed")
        let lines = text.components(separatedBy: Self.erase).filter { $0.hasPrefix("simulating") }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.count <= 44 })
        // What goes to the same terminal shows by itself how far it is.
        let both = shown("\"$BELFRY\" simulate facts.jsonl --policy standard")
        #expect(both.text.contains(#""refused""#) && !both.text.contains(Self.erase))
        // Nobody watches a pipe or a file.
        let unwatched = shown("\"$BELFRY\" simulate facts.jsonl --policy standard >printed 2>errors")
        #expect(unwatched.code == 3 && unwatched.text == "")
        #expect(try !shell.read("errors").contains(0x1B))
    }

    @Test func `short work says nothing`() throws {
        shell.importing(Histories.anna)
        for words in ["verify", "replay --verify", "audit", "log", "what-if --policy coachme"] {
            let start = ContinuousClock.now
            let (code, text) = shown("\"$BELFRY\" \(words) >printed")
            // On a machine that is busy enough no work is short.
            let isShort = ContinuousClock.now - start <= .seconds(1)
            #expect(code == 0 && (text == "" || !isShort), "\(words): \(text)")
        }
    }
}
