internal import Hashing
internal import Notices

/// A signed JSON Web Token (RFC 7519), as providers want one from whoever sends.
enum WebToken {
    typealias Members = KeyValuePairs<String, JSONValue>

    /// - Parameter header: what stands there besides the algorithm.
    static func signed(by key: SigningKey, header: Members, claims: Members) -> String {
        let head = JSONValue.object(
            [.init("alg", .string(key.algorithm.rawValue))] + header.map { .init($0.key, $0.value) })
        let body = JSONValue.object(claims.map { .init($0.key, $0.value) })
        let message = Base64.encodeURL(Array(head.text.utf8)) + "." + Base64.encodeURL(Array(body.text.utf8))
        return message + "." + Base64.encodeURL(key.sign(Array(message.utf8)))
    }
}
