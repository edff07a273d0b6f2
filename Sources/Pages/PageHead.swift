/// What the pages have in front in common: how they are read, their styles, and their scripts.
struct PageHead {
    private let lines: [String]

    /// - Parameter name: of the page; its style sheet and its script are named after it.
    init(of name: String) {
        lines = [
            #"<meta charset="utf-8">"#, #"<meta name="viewport" content="width=device-width, initial-scale=1">"#,
            #"<meta name="color-scheme" content="light dark">"#,
            #"<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">"#,
            #"<link rel="stylesheet" href="/assets/base.css">"#,
            #"<link rel="stylesheet" href="/assets/\#(name).css">"#,
            #"<script type="module" src="/assets/\#(name).js"></script>"#,
        ]
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
