internal import Notices

extension WireProblem {
    var response: HTTPResponse { .error(status, words) }

    private var words: String {
        switch self {
        case .requestLine: "a request begins with a method, a path and a version, one space between them"
        case .lineEnd: "every line of a request ends with a carriage return and a line feed"
        case .control(let byte): "the head holds the control character \(Self.shown(byte))"
        case .targetTooLong: "the path with its query has more than \(HeadReader.targetBytesMax) bytes"
        case .target: "the path and its query must be UTF-8 without spaces"
        case .version: "only versions 1.1 and 1.0 of HTTP are spoken here"
        case .headTooLarge(let most): "the head of the request has more than \(most) bytes"
        case .tooManyFields(let most): "the request has more than \(most) header fields"
        case .field: "a header field is a name, a colon and a value"
        case .foldedField: "a header field stands on one line"
        case .spaceBeforeColon: "there is a space between a header field's name and its colon"
        case .noHost: "a request must name the Host it is for"
        case .badHost: "the request must name one Host, such as Host: 127.0.0.1:8080"
        case .severalLengths: "Content-Length is given more than once"
        case .badLength(let value): "Content-Length is \(value.shownInMessage); it must be a whole number"
        case .lengthAndCoding: "Content-Length and Transfer-Encoding cannot be given together"
        case .badCoding: "Transfer-Encoding must be chunked, once"
        case .unknownCoding(let name): "the transfer coding \(name.shownInMessage) is unknown; only chunked is known"
        case .codingInOldVersion: "version 1.0 of HTTP has no Transfer-Encoding"
        case .expectation: "Expect may only be 100-continue"
        case .chunkSize: "a chunk begins with its size in hexadecimal digits, on a line of its own"
        case .chunkEnd: "a chunk is longer or shorter than its size says"
        case .chunkOverhead: "there is too much between the chunks of the body"
        }
    }

    private static func shown(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "U+00" + (digits.utf8.count < 2 ? "0" : "") + digits
    }
}
