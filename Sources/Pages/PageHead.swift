/// What the pages have in front in common: how they are read, their styles, and every script that their first view is made of.
///
/// A script that is found only when another was read is a trip more before anything is seen. What a page loads later, with
/// `import()`, is not named: it would be in the way of what is seen first.
struct PageHead {
    private let lines: [String]

    /// - Parameters:
    ///   - folder: the page's own scripts lie in it, its style sheet is named after it.
    ///   - files: all there are.
    init(of folder: String, among files: [String: PageFile]) {
        let script = "assets/\(folder)/app.js"
        let modules = Self.imported(by: script, among: files).subtracting([script])
        lines =
            [
                #"<meta charset="utf-8">"#, #"<meta name="viewport" content="width=device-width, initial-scale=1">"#,
                #"<meta name="color-scheme" content="light dark">"#,
                #"<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">"#,
                #"<link rel="stylesheet" href="/assets/base.css">"#,
                #"<link rel="stylesheet" href="/assets/\#(folder).css">"#,
            ] + modules.sorted().map { #"<link rel="modulepreload" href="/\#($0)">"# }
            + [#"<script type="module" src="/\#(script)"></script>"#]
    }

    /// A script with those that it imports, and those that they do.
    private static func imported(by script: String, among files: [String: PageFile]) -> Set<String> {
        var found: Set<String> = [script]
        var left = [script]
        while let name = left.popLast() {
            guard let file = files[name] else {
                preconditionFailure("a page imports \(name), which is none of its files")
            }
            for line in String(decoding: file.bytes, as: UTF8.self).split(separator: "\n")
            where line.hasPrefix("import ") {
                let parts = line.split(separator: "\"")
                guard parts.count > 1 else { continue }
                let path = address(of: parts[parts.count - 2], from: name)
                if found.insert(path).inserted { left.append(path) }
            }
        }
        return found
    }

    /// `../common/dom.js`, imported by `assets/console/app.js`.
    private static func address(of path: Substring, from script: String) -> String {
        var steps = script.split(separator: "/").dropLast()
        for step in path.split(separator: "/") where step != "." {
            if step == ".." { steps.removeLast() } else { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }

    static let place = "<!-- head -->"

    /// The page with the head in its place, which every page has once.
    func filled(into page: PageFile) -> PageFile {
        let parts = String(decoding: page.bytes, as: UTF8.self).split(
            separator: Self.place, omittingEmptySubsequences: false)
        precondition(parts.count == 2, "a page has \(parts.count - 1) places for its head")
        let text = parts.joined(separator: lines.joined(separator: "\n"))
        return PageFile(bytes: Array(text.utf8), mediaType: page.mediaType, role: page.role)
    }
}
