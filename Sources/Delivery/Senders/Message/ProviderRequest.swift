/// A job as a provider is asked to take it, for one device or address.
struct ProviderRequest {
    var method = HTTPCall.Method.post
    var url: String
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []

    func call(patience: HTTPCall.Patience) -> HTTPCall {
        HTTPCall(
            method, url, headers: headers + [("User-Agent", "belfry")], body: body, patience: patience,
            answerBytesMax: Self.answerBytesMax)
    }

    /// Providers answer with some hundred bytes. More is not read; the status is believed all the same.
    private static let answerBytesMax = 64 << 10
}

/// Why a job cannot be put into a message for a device or address at all.
enum MessageObjection: Error, Equatable {
    /// Without title and body it still has more bytes than the provider takes: its `data` is too long.
    case tooLong(bytesMax: Int)
    /// The address is none. It is of no use for any other job either.
    case badAddress(String)
}

extension MessageObjection: CustomStringConvertible {
    var description: String {
        switch self {
        case .tooLong(let most): "the job's data is too long: a message has at most \(most) bytes"
        case .badAddress(let what): what
        }
    }
}
