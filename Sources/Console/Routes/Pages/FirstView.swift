/// What the console will ask for to show an address first. The page's head has the browser ask at once (`Link: rel=preload`), while
/// the scripts that are to draw it are still on their way.
struct FirstView {
    /// The addresses of the API, exactly as the scripts write them: a browser takes an answer for the one that is asked for later by its
    /// whole address.
    let paths: [String]

    init(of target: Target) { paths = ["/v1/session", "/v1/policy"] + Self.ofPerson(target) }

    /// As `person.js` and `day.js` ask.
    private static func ofPerson(_ target: Target) -> [String] {
        let steps = target.segments
        guard steps.count > 1, steps[0] == "people", !steps[1].isEmpty else { return [] }
        let person = "/v1/people/\(PercentCoding.escaped(steps[1]))"
        guard steps.count == 2 else { return ["\(person)/state"] }
        let date = target.parameters.first { $0.name == "date" }.map { "?date=\(PercentCoding.escaped($0.value))" }
        return ["\(person)/state", "\(person)/day\(date ?? "")"]
    }

    /// As the header says it. `crossorigin` means asked as scripts ask, with the cookie of this very site.
    var link: String { paths.map { "<\($0)>; rel=preload; as=fetch; crossorigin" }.joined(separator: ", ") }
}
