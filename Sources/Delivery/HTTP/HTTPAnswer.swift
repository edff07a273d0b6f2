/// What a server answered. A redirect is an answer like any other: none is followed.
public struct HTTPAnswer: Sendable {
    public var status: Int
    public var headers: AnswerHeaders
    public var body: [UInt8]
    /// As its status line says: `HTTP/2`, `HTTP/1.1`.
    public var version = ""

    public var text: String { String(decoding: body, as: UTF8.self) }
}
