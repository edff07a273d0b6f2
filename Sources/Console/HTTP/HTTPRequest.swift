/// A request: its head, and its body once that has come in.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Path and query as they came, percent signs and all; `Target` takes them apart.
    package var target: String
    package var headers: HTTPHeaders
    /// With its content coding undone.
    package var body: [UInt8]

    package init(method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
