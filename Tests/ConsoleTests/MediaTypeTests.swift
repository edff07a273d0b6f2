import Testing

@testable import Console

/// Which of several forms of an answer a client likes best.
@Suite("What a client accepts")
struct MediaTypeTests {
    private func headers(_ accept: String) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.append("Accept", accept)
        return headers
    }

    @Test(arguments: [
        ("text/csv", true), ("text/csv;q=0.5", true), ("application/json, text/csv", true),
        ("application/json;q=0.9, text/csv", true), ("application/json, text/csv;q=0.9", false),
        ("text/csv;q=0", false), ("text/csvx", false), ("*/*", false), ("", false),
    ])
    func `a form that is named counts by its weight`(accept: String, expected: Bool) {
        #expect(MediaType.prefers("text/csv", to: ["application/json"], headers(accept)) == expected)
    }

    @Test(arguments: [
        ("text/plain", true), ("text/*, application/json;q=0.5", true), ("text/plain, application/json", false),
        ("*/*", false), ("*/*, application/json;q=0", true),
    ])
    func `text is given to whoever likes it better than JSON`(accept: String, expected: Bool) {
        #expect(MediaType.prefersText(headers(accept)) == expected)
    }
}
