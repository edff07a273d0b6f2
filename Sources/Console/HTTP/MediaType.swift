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
        let accepted = accepted(headers)
        return weight(["text/plain", "text/*", "*/*"], among: accepted)
            > weight(["application/json", "application/*", "*/*"], among: accepted)
    }

    /// Whether a client that names OpenMetrics likes nothing of Prometheus' text better.
    static func prefersOpenMetrics(_ headers: HTTPHeaders) -> Bool {
        prefers("application/openmetrics-text", to: ["text/plain", "text/*", "*/*"], headers)
    }

    /// Whether a client that names a type likes nothing of what it would else have better.
    static func prefers(_ name: String, to usual: [String], _ headers: HTTPHeaders) -> Bool {
        let accepted = accepted(headers)
        let named = weight([name], among: accepted)
        return named > 0 && named >= weight(usual, among: accepted)
    }

    private static func accepted(_ headers: HTTPHeaders) -> [MediaType] {
        headers.all("Accept").joined(separator: ",").split(separator: ",").map { MediaType($0) }
    }

    private static func weight(_ names: [String], among accepted: [MediaType]) -> Double {
        // The most specific mention counts, not the heaviest.
        for name in names {
            if let found = accepted.first(where: { $0.name == name }) {
                return found["q"].map { Double($0) ?? 0 } ?? 1
            }
        }
        return 0
    }
}

extension String {
    /// A header's value as a message shows it.
    var shownInMessage: String { isEmpty ? "missing" : quoted(self) }
}
