internal import CivilTime
internal import Hashing
internal import Notices

/// How Belfry asks Google for the right to send: a signed assertion, for which it is given a bearer token (RFC 7523).
struct GoogleAccess {
    let account: ServiceAccount

    private static let audience = "https://oauth2.googleapis.com/token"
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    private static let lifeSeconds: Int64 = 3600

    /// The form to post to the account's `token_uri`.
    func form(at now: Instant) -> [UInt8] {
        // The characters of a token need no escape in a form.
        Array("grant_type=\(Self.grant)&assertion=\(assertion(at: now))".utf8)
    }

    private func assertion(at now: Instant) -> String {
        WebToken.signed(
            by: account.key, header: ["typ": .string("JWT"), "kid": .string(account.keyID)],
            claims: [
                "iss": .string(account.email), "aud": .string(Self.audience), "scope": .string(Self.scope),
                "iat": .number("\(now.wholeSeconds)"),
                "exp": .number("\(now.advanced(bySeconds: Self.lifeSeconds).wholeSeconds)"),
            ])
    }
}

/// The key file of a service account, as Google's console hands it out.
struct ServiceAccount: Sendable {
    let project: String
    let email: String
    let keyID: String
    let key: SigningKey
    let tokenURI: HTTPAddress

    init(_ text: String) throws(ServiceAccountError) {
        guard let file = JSONValue(parsing: text), file.isObject else { throw .notJSON }
        func word(_ name: String) throws(ServiceAccountError) -> String {
            guard let word = file[name]?.string, !word.isEmpty else { throw .missing(name) }
            return word
        }
        guard file["type"]?.string == "service_account" else { throw .otherKind }
        project = try word("project_id")
        guard project.utf8.allSatisfy({ Self.isOfProjectID($0) }) else { throw .missing("project_id") }
        email = try word("client_email")
        keyID = try word("private_key_id")
        // Whoever reads along there could send in our name for an hour.
        guard let uri = HTTPAddress(try word("token_uri")), uri.isPrivate else { throw .missing("token_uri") }
        tokenURI = uri
        let pem = try word("private_key")
        do throws(SigningKeyError) { key = try SigningKey(pem: Array(pem.utf8)) } catch { throw .key(error) }
        guard key.algorithm == .rs256 else { throw .key(.otherKind) }
    }

    /// It becomes a part of a URL.
    private static func isOfProjectID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// Why a file is no key of a service account. Never carries any of it.
enum ServiceAccountError: Error, Equatable, CustomStringConvertible {
    case notJSON
    case otherKind
    case missing(String)
    case key(SigningKeyError)

    /// A phrase to follow the name of the file.
    var description: String {
        switch self {
        case .notJSON: "is not JSON"
        case .otherKind:
            "is no key of a service account: make one in Google's console (Project settings, Service accounts)"
        case .missing(let name): "has no proper \(name)"
        case .key(let error): "\(error) (in private_key)"
        }
    }
}
