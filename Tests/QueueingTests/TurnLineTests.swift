import Queueing
import Testing

@Suite("A line of several who are served in turn")
struct TurnLineTests {
    private func filled(_ elements: String...) -> TurnLine<Character, String> {
        var line = TurnLine<Character, String>()
        for element in elements { line.append(element, of: element.first ?? " ") }
        return line
    }

    private func all(_ line: TurnLine<Character, String>) -> [String] {
        var (line, all) = (line, [String]())
        while let next = line.popFirst() { all.append(next) }
        return all
    }

    @Test func `whoever brings much waits behind their own`() {
        #expect(all(filled("a1", "a2", "a3", "b1", "c1", "b2")) == ["a1", "b1", "c1", "a2", "b2", "a3"])
        var line = filled("a1", "a2")
        #expect(line.popFirst() == "a1")
        line.append("b1", of: "b")
        line.append("a3", of: "a")
        #expect(line.count == 3 && line.count(of: "a") == 2 && line.count(of: "z") == 0)
        #expect(all(line) == ["a2", "b1", "a3"])
    }

    @Test func `who is taken out leaves no turn behind`() {
        var line = filled("a1", "b1", "a2", "c1")
        #expect(line.take { $0 == "b1" || $0 == "a1" } == ["a1", "b1"])
        #expect(line.count == 2 && line.count(of: "b") == 0)
        #expect(all(line) == ["a2", "c1"])
    }
}
