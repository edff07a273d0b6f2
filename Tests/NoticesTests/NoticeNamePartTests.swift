import Simulation
import Testing

@testable import Notices

@Suite("The parts of a notice's name")
struct NoticeNamePartTests {
    /// Character by character, as it is read by whoever is in no hurry.
    private struct Parts: Equatable {
        var kind: String?
        var subject: String?
        var cause: UInt64?

        init(of name: NoticeName) { (kind, subject, cause) = (name.kind, name.subject, name.cause) }

        init(readSlowly text: String) {
            let pieces = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
            guard pieces.count > 2, let end = pieces.last else { return }
            kind = pieces[1]
            if pieces.count == 4 { subject = pieces[2] }
            if end.unicodeScalars.first == "#" {
                cause = UInt64(String(end.unicodeScalars.dropFirst().prefix { $0 != "~" }.map { Character($0) }))
            }
        }
    }

    @Test(
        arguments: [
            ("anna/check_in/2026-03-02T09:00", "check_in", nil, nil),
            ("anna/alert/#17", "alert", nil, 17),
            ("anna/alert/goal:g1/#17~2", "alert", "goal:g1", 17),
            ("anna/alert/a/b/#17", "alert", nil, 17),
            ("anna/alert", nil, nil, nil),
            ("//", "", nil, nil),
            ("", nil, nil, nil),
        ] as [(String, String?, String?, UInt64?)])
    func `a name is taken apart`(name: String, kind: String?, subject: String?, cause: UInt64?) {
        let name = NoticeName(name)
        #expect(name.kind == kind)
        #expect(name.subject == subject)
        #expect(name.cause == cause)
    }

    @Test(arguments: 0..<20) func `any text is taken apart as it is by reading it`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "anna", "/", "/", "/", "#", "#", "~", "7", "18446744073709551615", "é", "\u{301}", "goal:g1", "👩‍👧",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0...9, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            #expect(Parts(of: NoticeName(text)) == Parts(readSlowly: text), "\(text), seed \(seed)")
        }
    }
}
