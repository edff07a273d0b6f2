/// A request: its head, and its body once that has come in.
public struct HTTPRequest: Sendable, Equatable {
    public var method: String
    /// Path and query as they came, percent signs and all; `Target` takes them apart.
    public var target: String
    public var headers: HTTPHeaders
    /// With its content coding undone.
    public var body: [UInt8]
    /// Who asks, once that is known.
    public var access = Access.stranger
    /// Whether it is to change something, rather than only asked.
    public var isOrder = false
    /// Whether who asks it is more than anybody, so that the connection has a standing once it is let in.
    var earnsStanding = true
    /// How large its body may be where that is less than the door takes; `nil` where it is not.
    var bodyBytesMax: Int?
    /// How large it may be where that is more, because another worker sends it.
    var bodyBytesOfWorkers: Int?
    /// The origin of the page that asks, where it is another than this address and may ask: it is to read the answer.
    var otherOrigin: String?

    public init(method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}
