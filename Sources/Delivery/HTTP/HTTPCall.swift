/// One request to somebody else's server, with everything that bounds it.
package struct HTTPCall: Sendable {
    package enum Method: String, Sendable { case get = "GET", post = "POST" }

    /// How long to wait, in milliseconds: for the connection, and from the beginning to the last byte of the answer.
    package struct Patience: Sendable, Equatable {
        package var connectMs: Int
        package var totalMs: Int

        package init(connectMs: Int, totalMs: Int) {
            self.connectMs = connectMs
            self.totalMs = totalMs
        }
    }

    package var method: Method
    package var url: String
    /// In the order they are sent. No name or value may hold a line end.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var patience: Patience
    /// More bytes of answer than this end the call (`tooLarge`).
    package var answerBytesMax: Int
    /// The socket to speak through instead of the network; the URL's host then only names the server.
    package var socketPath: String?

    package init(
        _ method: Method, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        patience: Patience, answerBytesMax: Int, socketPath: String? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.patience = patience
        self.answerBytesMax = answerBytesMax
        self.socketPath = socketPath
    }
}
