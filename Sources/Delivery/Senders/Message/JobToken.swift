internal import Hashing

/// What names a job to those who report about it later: its number in the log, and a signature. It stands in a mail's bounce
/// address (VERP) and Message-ID, and in the URL that Twilio reports to; a report leads back to its job without a table.
public enum JobToken {
    private static let signatureBytes = 8

    public static func text(seq: UInt64, secret: [UInt8]) -> String {
        "\(seq)-\(Hexadecimal.text(signature(seq, secret)))"
    }

    /// The job's number; `nil` for a token that was not signed with any of the secrets.
    public static func seq(of token: some StringProtocol, secrets: [[UInt8]]) -> UInt64? {
        let parts = token.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let seq = UInt64(parts[0]), "\(seq)" == parts[0] else { return nil }
        let given = Array(parts[1].lowercased().utf8)
        let isOurs = secrets.filter { Authentication.areEqual(given, Array(Hexadecimal.text(signature(seq, $0)).utf8)) }
        return isOurs.isEmpty ? nil : seq
    }

    private static func signature(_ seq: UInt64, _ secret: [UInt8]) -> ArraySlice<UInt8> {
        Authentication.hmacSHA256(Array("job\0\(seq)".utf8), key: secret)[..<signatureBytes]
    }
}
