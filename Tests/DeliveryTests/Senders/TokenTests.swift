import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

/// Keys as Apple, Google and openssl hand them out.
struct SampleKeys: Decodable {
    var p256: String
    var p256_older: String
    var p256_public: String
    var p256_locked: String
    var p384: String
    var rsa: String
    var rsa_older: String
    var rsa_public: String
    var rsa_1024: String

    static let whole: SampleKeys? = Oracles.areInstalled ? try? Oracles.ask("token_oracle.py", ["ask": "keys"]) : nil

    static func made() throws -> SampleKeys { try #require(whole, "the oracle made no keys") }

    static func key(_ path: KeyPath<SampleKeys, String>) throws -> SigningKey {
        try SigningKey(pem: Array(made()[keyPath: path].utf8))
    }

    /// A key file of a service account.
    static func account(_ changes: [String: String?] = [:]) throws -> String {
        var file = [
            "type": "service_account", "project_id": "belfry-tests", "private_key_id": "k1",
            "client_email": "bell@belfry-tests.iam.gserviceaccount.com",
            "token_uri": "https://oauth2.googleapis.com/token", "private_key": try made().rsa,
        ]
        for (name, value) in changes { file[name] = value }
        return String(decoding: try JSONEncoder().encode(file), as: UTF8.self)
    }
}

/// What PyJWT reads from a token whose signature is good.
private struct Read: Decodable {
    struct Header: Decodable {
        var alg: String
        var kid: String?
        var typ: String?
    }
    struct Claims: Decodable, Equatable {
        var iss: String?
        var iat: Int?
        var exp: Int?
        var aud: String?
        var sub: String?
        var scope: String?
    }
    var header: Header
    var claims: Claims

    init(_ token: String, public key: String, _ algorithm: String, audience: String? = nil) throws {
        var question = ["ask": "token", "token": token, "public": key, "algorithm": algorithm]
        question["audience"] = audience
        self = try Oracles.ask("token_oracle.py", question)
    }
}

@Suite("Tokens that providers ask for", .unlessItHangs, .withOracles)
struct TokenTests {
    private let seconds = Int(newYear.wholeSeconds)

    @Test func `Apple's token is read by PyJWT, from a key in either form`() throws {
        for path in [\SampleKeys.p256, \.p256_older] {
            var token = try APNsToken(key: SampleKeys.key(path), keyID: "ABC123DEFG", teamID: "TEAM456789")
            let read = try Read(token.text(at: newYear), public: SampleKeys.made().p256_public, "ES256")
            #expect(read.header.alg == "ES256")
            #expect(read.header.kid == "ABC123DEFG")
            #expect(read.claims == .init(iss: "TEAM456789", iat: seconds))
        }
    }

    @Test func `every one of many signatures has 64 bytes and is good`() throws {
        let key = SigningKey.newP256()
        let opened: String = try Oracles.ask("token_oracle.py", ["ask": "public_of", "pem": key.pem])
        // One in 128 has a number with a leading zero, which DER leaves out.
        let tokens = (0..<400).map { WebToken.signed(by: key, header: [:], claims: ["sub": .string("\($0)")]) }
        let questions = tokens.map { ["ask": "token", "token": $0, "public": opened, "algorithm": "ES256"] }
        let read: [Read] = try Oracles.ask("token_oracle.py", questions)
        #expect(read.map(\.claims.sub) == (0..<400).map { "\($0)" })
    }

    @Test func `Apple's token is the same for 50 minutes, and then a new one`() throws {
        var token = APNsToken(key: .newP256(), keyID: "K", teamID: "T")
        let first = token.text(at: newYear)
        let end = newYear.advanced(byMinutes: 50)
        let lastOfFirst = token.text(at: end.advanced(byMilliseconds: -1))
        #expect(lastOfFirst == first)
        let second = token.text(at: end)
        #expect(second != first)
        let lateSecond = token.text(at: end.advanced(byMinutes: 49))
        #expect(lateSecond == second)
        // The clock was set back: a token from the future would be refused.
        let third = token.text(at: newYear)
        #expect(third != second)
    }

    @Test func `a token refused as expired is renewed once, and not while it is young`() {
        var token = APNsToken(key: .newP256(), keyID: "K", teamID: "T")
        let first = token.text(at: newYear)
        let early = newYear.advanced(bySeconds: 1199)
        let (isRenewedEarly, stillFirst) = (token.isRenewed(after: first, at: early), token.text(at: early))
        #expect(!isRenewedEarly && stillFirst == first)
        let later = newYear.advanced(byMinutes: 20)
        let (isRenewed, second) = (token.isRenewed(after: first, at: later), token.text(at: later))
        #expect(isRenewed && second != first)
        // A hundred calls were under way with the old one: the new one is for all of them.
        let (isThere, stillSecond) = (token.isRenewed(after: first, at: later), token.text(at: later))
        #expect(isThere && stillSecond == second)
    }

    @Test func `Google's assertion is read by PyJWT`() throws {
        let account = try ServiceAccount(SampleKeys.account())
        let form = String(decoding: GoogleAccess(account: account).form(at: newYear), as: UTF8.self)
        let parts = form.split(separator: "&", maxSplits: 1).map { $0.split(separator: "=", maxSplits: 1)[1] }
        #expect(parts[0].removingPercentEncoding == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        let audience = "https://oauth2.googleapis.com/token"
        let read = try Read(String(parts[1]), public: SampleKeys.made().rsa_public, "RS256", audience: audience)
        #expect(read.header.kid == "k1")
        #expect(
            read.claims
                == .init(
                    iss: "bell@belfry-tests.iam.gserviceaccount.com", iat: seconds, exp: seconds + 3600, aud: audience,
                    scope: "https://www.googleapis.com/auth/firebase.messaging"))
    }

    @Test func `what a browser's push service is shown passes py-vapid`() throws {
        let key = SigningKey.newP256()
        var tokens = VAPIDTokens(key: key, subject: "mailto:ops@belfry.dev")
        let one = tokens.authorization(for: "https://push.example.org", at: newYear)
        #expect(try Oracles.ask("token_oracle.py", ["ask": "vapid", "authorization": one]) as Bool)
        let opened: String = try Oracles.ask("token_oracle.py", ["ask": "public_of", "pem": key.pem])
        func read(_ authorization: String, by audience: String) throws -> Read {
            let text = try #require(authorization.split(separator: ",").first?.dropFirst("vapid t=".count))
            return try Read(String(text), public: opened, "ES256", audience: audience)
        }
        #expect(
            try read(one, by: "https://push.example.org").claims
                == .init(exp: seconds + 12 * 3600, aud: "https://push.example.org", sub: "mailto:ops@belfry.dev"))
        let end = newYear.advanced(byHours: 6)
        let others = [
            tokens.authorization(for: "https://push.example.org", at: end.advanced(byMilliseconds: -1)),
            tokens.authorization(for: "https://push.example.org", at: end),
        ]
        // Another has its own, while the only one that is known is good.
        let second = tokens.authorization(for: "https://second.example.org", at: end)
        #expect(try read(second, by: "https://second.example.org").claims.aud == "https://second.example.org")
        let early = tokens.authorization(for: "https://other.example.org", at: newYear)
        #expect((others + [early]).map { $0 == one } == [true, false, false])
    }

    @Test(arguments: [
        ("mailto:ops@belfry.dev", true), ("https://belfry.dev/contact", true), ("mailto:ops@localhost", false),
        ("https://localhost", false), ("mailto:ops", false), ("http://belfry.dev", false), ("ops@belfry.dev", false),
        ("mailto:a b@belfry.dev", false), ("https://belfry", false), ("mailto:ops@belfry..dev", false), ("", false),
    ])
    func `a subject that leads nowhere is told of at the start`(subject: String, isGood: Bool) {
        #expect((VAPIDTokens.objection(to: subject) == nil) == isGood)
    }

    @Test func `a key of the wrong kind is told by what it is, never by what is in it`() throws {
        let keys = try SampleKeys.made()
        /// Whether a line of the key itself is in what is said.
        func tells(_ problem: (any Error)?, of key: String) -> Bool {
            let said = problem.map { "\($0)" } ?? ""
            return key.split(separator: "\n").contains {
                !$0.hasPrefix("-----") && $0.utf8.count > 8 && said.contains($0)
            }
        }
        for (text, problem) in [
            (keys.p256_locked, SigningKeyError.hasPassword), (keys.p384, .otherKind),
            (keys.rsa_1024, .weak(bits: 1024)),
            (keys.p256_public, .isPublic), ("", .unreadable), ("-----BEGIN PRIVATE KEY-----\nAAAA\n", .unreadable),
        ] {
            let refusal = #expect(throws: problem) { try SigningKey(pem: Array(text.utf8)) }
            #expect(!tells(refusal, of: text))
        }
        #expect(try SampleKeys.key(\.rsa_older).algorithm == .rs256)
        for (changes, problem) in [
            (["type": "authorized_user"], ServiceAccountError.otherKind),
            (["client_email": nil], .missing("client_email")),
            (["project_id": "a/../b"], .missing("project_id")), (["token_uri": "ftp://x"], .missing("token_uri")),
            (["token_uri": "http://oauth2.googleapis.com/token"], .missing("token_uri")),
            (["private_key": keys.p256], .key(.otherKind)), (["private_key": "x"], .key(.unreadable)),
        ] as [([String: String?], ServiceAccountError)] {
            let refusal = #expect(throws: problem) { try ServiceAccount(SampleKeys.account(changes)) }
            #expect(!tells(refusal, of: keys.rsa) && !tells(refusal, of: keys.p256))
        }
        let refusal = #expect(throws: ServiceAccountError.notJSON) { try ServiceAccount(keys.rsa) }
        #expect(!tells(refusal, of: keys.rsa))
    }
}
