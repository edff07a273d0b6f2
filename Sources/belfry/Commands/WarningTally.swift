import Notices

/// Gathers the warnings of a history, which may be thousands: each kind is told once, with the first of them and how many
/// there were.
struct WarningTally {
    private struct Gathered {
        var first: Warning
        var line: Int
        var count: Int
    }

    private let tellsAll: Bool
    private var gathered: [Gathered] = []

    /// - Parameter tellsAll: whether each is told when it comes, and nothing at the end.
    init(tellsAll: Bool) { self.tellsAll = tellsAll }

    mutating func take(_ warning: Warning, _ line: Int) {
        if tellsAll { return complainAsJSON(line, "warning", warning.sentence) }
        if let place = gathered.firstIndex(where: { $0.first.kind == warning.kind }) {
            gathered[place].count += 1
        } else {
            gathered.append(Gathered(first: warning, line: line, count: 1))
        }
    }

    /// In the order in which the kinds were met.
    func tell() {
        for kind in gathered {
            complainAsJSON { said in
                said.append("{\"line\":\(kind.line),\"warning\":")
                said.appendJSONString(kind.first.sentence)
                said.append(",\"count\":\(kind.count)}")
            }
        }
        if gathered.contains(where: { $0.count > 1 }) {
            complain("note: each kind of warning is told once, with its first line; --warnings tells them all")
        }
    }
}

extension CommandSpec {
    static let warnings = Option(
        name: "--warnings", value: nil, help: "print every warning instead of each kind once with a count")
}
