import Foundation
import Testing

/// The histories in `events/stories`, each with the decisions that the specification demands and notes that say why.
@Suite("the stories")
struct StoryTests {
    let shell = Shell()

    @Test(arguments: Story.names) func `a story ends as it is told`(name: String) throws {
        let story = try Story(name)
        let words = ["simulate", story.facts, "--policy", story.policy, "--until", story.until]
        let outcome = shell.belfry(words, input: [])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let difference = Story.firstDifference(printed: outcome.output, expected: story.expected)
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test(arguments: Story.names) func `the notes give a reason for every decision`(name: String) throws {
        let story = try Story(name)
        let decided = try story.expected.split(separator: "\n").map {
            String(try JSONDecoder().decode(LoggedEvent.self, from: Data($0.utf8)).seq)
        }
        #expect(story.explained == decided)
    }

    @Test func `no notes and no decisions are left without their facts, and the table names each story`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Story.folder.path)
        let expected = Story.names.flatMap { ["\($0).expected.jsonl", "\($0).jsonl", "\($0).md"] } + ["README.md"]
        #expect(Set(files) == Set(expected))
        let table = try String(contentsOf: Story.folder.appending(path: "README.md"), encoding: .utf8)
        let listed = table.matches(of: #/(?m)^\| \[([a-z-]+)\]\(([a-z-]+)\.md\) \|/#).map { "\($0.1) \($0.2)" }
        #expect(listed.sorted() == Story.names.map { "\($0) \($0)" })
    }

    @Test func `the first line that differs is named, however the two end`() {
        #expect(Story.firstDifference(printed: "a\nb\n", expected: "a\nb\n") == nil)
        #expect(
            Story.firstDifference(printed: "a\nc\n", expected: "a\nb\n")
                == "line 2\nexpected: b\nprinted:  c")
        #expect(
            Story.firstDifference(printed: "a\n", expected: "a\nb\n") == "line 2\nexpected: b\nprinted:  nothing more")
        #expect(
            Story.firstDifference(printed: "a\nb\n", expected: "a\n") == "line 2\nexpected: nothing more\nprinted:  b")
        #expect(Story.firstDifference(printed: "a", expected: "a\n") != nil)
    }
}

/// One of the stories, read from its three files.
struct Story {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../events/stories").standardizedFileURL

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let names = files.filter { $0.hasSuffix(".jsonl") && !$0.hasSuffix(".expected.jsonl") }
            .map { String($0.dropLast(".jsonl".count)) }
        precondition(!names.isEmpty, "no stories in \(folder.path)")
        return names.sorted()
    }()

    let facts: String
    let expected: String
    let policy: String
    let until: String
    /// The numbers of the decisions that the notes speak of, in their order.
    let explained: [String]

    init(_ name: String) throws {
        func text(_ suffix: String) throws -> String {
            try String(contentsOf: Self.folder.appending(path: name + suffix), encoding: .utf8)
        }
        facts = Self.folder.appending(path: "\(name).jsonl").path
        expected = try text(".expected.jsonl")
        let notes = try text(".md")
        policy = String(try #require(notes.firstMatch(of: #/(?m)^policy: (\S+)$/#), "\(name).md names no policy").1)
        until = String(try #require(notes.firstMatch(of: #/(?m)^until: (\S+)$/#), "\(name).md names no end").1)
        explained = notes.matches(of: #/(?m)^\| ([0-9]+) \|/#).map { String($0.1) }
    }

    /// Where two outputs part, with both lines; `nil` where they are the same to the byte.
    static func firstDifference(printed: String, expected: String) -> String? {
        guard !printed.utf8.elementsEqual(expected.utf8) else { return nil }
        let printed = lines(printed)
        let expected = lines(expected)
        let place = (0..<max(printed.count, expected.count)).first {
            !(printed.indices.contains($0) && expected.indices.contains($0)
                && printed[$0].utf8.elementsEqual(expected[$0].utf8))
        }
        guard let place else { return "one of the two is cut off within its last line end" }
        func line(_ all: [Substring]) -> String { all.indices.contains(place) ? String(all[place]) : "nothing more" }
        return "line \(place + 1)\nexpected: \(line(expected))\nprinted:  \(line(printed))"
    }

    private static func lines(_ text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
