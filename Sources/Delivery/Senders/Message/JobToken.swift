internal import Hashing

/// What names a job to those who report about it later: where the log holds it, and a signature. It stands in a mail's bounce
/// address (VERP) and Message-ID, and in the URL that Twilio reports to; a report leads back to its job without a table.
public enum JobToken {
    private static let signatureBytes = 8

    public static func text(_ place: JobPlace, secret: [UInt8]) -> String {
        "\(place.position)-\(place.seq)-\(Hexadecimal.text(signature(place, secret)))"
    }

    /// Where the job is; `nil` for a token that was not signed with any of the secrets.
    public static func place(of token: some StringProtocol, secrets: [[UInt8]]) -> JobPlace? {
        let parts = token.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let position = UInt64(parts[0]), let seq = UInt64(parts[1]),
            "\(position)" == parts[0], "\(seq)" == parts[1]
        else { return nil }
        let place = JobPlace(position: position, seq: seq)
        let given = Array(parts[2].lowercased().utf8)
        let isOurs = secrets.filter {
            Authentication.areEqual(given, Array(Hexadecimal.text(signature(place, $0)).utf8))
        }
        return isOurs.isEmpty ? nil : place
    }

    private static func signature(_ place: JobPlace, _ secret: [UInt8]) -> ArraySlice<UInt8> {
        let named = "job\0\(place.position)\0\(place.seq)"
        return Authentication.hmacSHA256(Array(named.utf8), key: secret)[..<signatureBytes]
    }
}
