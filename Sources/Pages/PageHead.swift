/// What the pages have in front in common: how they are read, their styles, and every script they are made of.
///
/// A script that is found only when another was read is a trip more before anything is seen.
struct PageHead {
    private let lines: [String]

    /// - Parameters:
    ///   - folder: the page's own scripts lie in it, its style sheet is named after it.
    ///   - names: of all files.
    init(of folder: String, among names: some Sequence<String>) {
        let script = "assets/\(folder)/app.js"
        let modules = names.filter { name in
            name != script && name.hasSuffix(".js")
                && ["common", folder].contains { name.hasPrefix("assets/\($0)/") }
        }
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
