/// What a server answered. A redirect is an answer like any other: none is followed.
package struct HTTPAnswer: Sendable {
    package var status: Int
    package var headers: AnswerHeaders
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
}
