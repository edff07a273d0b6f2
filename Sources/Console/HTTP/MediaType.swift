internal import Notices

/// A media type as headers write it: `application/json; charset=utf-8`.
struct MediaType: Equatable {
    /// In lower case.
    let name: String
    private let parameters: [(name: String, value: String)]

    init(_ text: some StringProtocol) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.withoutBlanksAround)
        name = (parts.first ?? "").lowercased()
        parameters = parts.dropFirst().compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1).map(\.withoutBlanksAround)
            guard pair.count == 2 else { return nil }
            return (pair[0].lowercased(), pair[1].filter { $0 != "\"" })
        }
    }

    subscript(parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }

    static func == (left: MediaType, right: MediaType) -> Bool { left.name == right.name }

    /// Whether a client would rather have text than JSON; one that does not say gets JSON.
    static func prefersText(_ headers: HTTPHeaders) -> Bool {
        let accepted = headers.all("Accept").joined(separator: ",").split(separator: ",").map { MediaType($0) }
        func weight(_ names: [String]) -> Double {
            // The most specific mention counts, not the heaviest.
            for name in names {
                if let found = accepted.first(where: { $0.name == name }) {
                    return found["q"].map { Double($0) ?? 0 } ?? 1
                }
            }
            return 0
        }
        return weight(["text/plain", "text/*", "*/*"]) > weight(["application/json", "application/*", "*/*"])
    }
}

extension String {
    /// A header's value as a message shows it.
    var shownInMessage: String { isEmpty ? "missing" : quoted(self) }
}
