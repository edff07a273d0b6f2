/// What the console will ask for to show an address first. The page's head has the browser ask at once (`Link: rel=preload`), while
/// the scripts that are to draw it are still on their way.
struct FirstView {
    /// The addresses of the API, exactly as the scripts write them: a browser takes an answer for the one that is asked for later by its
    /// whole address.
    let paths: [String]

    /// - Parameter target: of the page, as the browser wrote it.
    init(of target: String) {
        let (path, query) = Self.halves(of: target)
        let steps = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        paths = ["/v1/session", "/v1/policy"] + Self.ofPerson(Array(steps), query)
    }

    /// As `person.js` and `day.js` ask.
    private static func ofPerson(_ steps: [Substring], _ query: Substring) -> [String] {
        guard steps.count > 1, steps[0] == "people", isPlain(steps[1]) else { return [] }
        let (state, day) = ("/v1/people/\(steps[1])/state", "/v1/people/\(steps[1])/day")
        guard steps.count == 2 else { return [state] }
        let date = query.split(separator: "&").first { $0.hasPrefix("date=") }?.dropFirst("date=".count)
        guard let date else { return [state, day] }
        return isDate(date) ? [state, "\(day)?date=\(date)"] : [state]
    }

    /// As the header says it. `crossorigin` means asked as scripts ask, with the cookie of this very site.
    var link: String { paths.map { "<\($0)>; rel=preload; as=fetch; crossorigin" }.joined(separator: ", ") }

    private static func halves(of target: String) -> (path: Substring, query: Substring) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }

    /// Whether a script writes this step as it stands (`encodeURIComponent`); one that it writes otherwise it asks for when it is there.
    private static func isPlain(_ step: Substring) -> Bool {
        guard !step.isEmpty, step != ".", step != ".." else { return false }
        var left = step.utf8
        while let byte = left.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                if isUnreserved(byte) { continue }
                return false
            }
            guard let high = left.popFirst().flatMap(digit), let low = left.popFirst().flatMap(digit),
                !isUnreserved(high << 4 | low)
            else { return false }
        }
        return true
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// Of a hexadecimal number as scripts write them.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isDate(_ text: Substring) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
