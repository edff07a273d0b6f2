import Foundation
import Hashing
import Simulation
import Testing

@testable import Delivery

/// The browser of RFC 8291, appendix A.
struct SampleBrowser {
    static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let secret = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    static func subscription(_ endpoint: String = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV")
        throws
        -> WebPushSubscription
    {
        try WebPushSubscription(endpoint: endpoint, p256dh: point, auth: auth)
    }
}

@Suite("RFC 8291, messages for a browser's eyes only", .unlessItHangs)
struct WebPushSealingTests {
    @Test func `the example of RFC 8291 comes out byte for byte`() throws {
        let key = try SigningKey(
            p256Point: try #require(
                Base64.decodeURL(
                    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")),
            secret: try #require(Base64.decodeURL("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
        let sealed = WebPushSealing.sealed(
            Array("When I grow up, I want to be a watermelon".utf8), for: try SampleBrowser.subscription(), by: key,
            salt: try #require(Base64.decodeURL("DGv6ra1nlYgDCS1FRnbzlw")))
        #expect(
            Base64.encodeURL(try #require(sealed))
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test(.withOracles) func `http-ece opens what was sealed, of every length, each sealed anew`() throws {
        let subscription = try SampleBrowser.subscription()
        var chance = SeededRandom(seed: 8291)
        let plains = [0, 1, 15, 16, 17, 2000, 3992, WebPushSealing.plainBytesMax].map { count in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
        }
        let sealed = try plains.map { try #require(WebPushSealing.sealed($0, for: subscription)) }
        #expect(sealed.last?.count == 4096)
        #expect(WebPushSealing.sealed(plains[1], for: subscription) != sealed[1])
        let opened: [String] = try Oracles.ask(
            "token_oracle.py",
            sealed.map {
                [
                    "ask": "opened", "sealed": Base64.encode($0), "secret": SampleBrowser.secret,
                    "auth": SampleBrowser.auth,
                ]
            })
        #expect(opened.map { Base64.decode($0) } == plains)
    }

    @Test func `a subscription that cannot be one is refused with what is wrong`() throws {
        let (point, auth) = (SampleBrowser.point, SampleBrowser.auth)
        #expect(throws: WebPushSubscriptionError.p256dh) {
            try WebPushSubscription(endpoint: "https://push.example.net/1", p256dh: "AAAA", auth: auth)
        }
        #expect(throws: WebPushSubscriptionError.auth) {
            try WebPushSubscription(endpoint: "https://push.example.net/1", p256dh: point, auth: point)
        }
        // 65 bytes that begin like a point and lie on no curve.
        let none = try WebPushSubscription(
            endpoint: "https://push.example.net/1", p256dh: "BA" + String(repeating: "B", count: 84) + "A", auth: auth)
        #expect(WebPushSealing.sealed([1], for: none) == nil)
    }
}

@Suite("Web Push endpoints come from clients")
struct WebPushEndpointTests {
    @Test(arguments: [
        "http://push.example.net/1", "https://localhost/1", "https://LOCALHOST:8443/1", "https://a.localhost/1",
        "https://127.0.0.1/1", "https://2130706433/1", "https://0x7f.1/1", "https://10.0.0.1/1",
        "https://169.254.169.254/",
        "https://[::1]/1", "https://[::ffff:10.1.2.3]/", "https://[fd00::1]/1", "https://[fe80::1]/1",
        "https://[2002:7f00:1::]/", "https://user:secret@push.example.net/1", "https://user@push.example.net/1",
        "ftp://a/b",
        "push.example.net", "", "https:///1",
    ])
    func `no machine of a private network is an endpoint`(url: String) {
        #expect(WebPushEndpoint(url) == nil)
    }

    @Test func `an endpoint shows its origin and no more`() throws {
        let endpoint = try #require(WebPushEndpoint("https://fcm.googleapis.com:443/fcm/send/secret"))
        #expect(endpoint.origin == "https://fcm.googleapis.com")
        #expect(WebPushEndpoint("https://push.example.net:8443/x")?.origin == "https://push.example.net:8443")
        #expect(WebPushEndpoint("https://[2606:4700::1]/x") != nil)
        #expect(WebPushEndpoint("https://push.example.net/" + String(repeating: "x", count: 2048)) == nil)
    }

    @Test(.withOracles) func `what is taken for public Python's ipaddress takes for public too`() throws {
        var chance = SeededRandom(seed: 6890)
        func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) } }
        let near: [[UInt8]] = [
            [0], [10], [100, 64], [127], [169, 254], [172, 16], [192, 0, 0], [192, 0, 2], [192, 168], [198, 18],
            [198, 51, 100], [203, 0, 113], [224], [240],
        ]
        var addresses = (0..<300).map { _ in random(4) } + (0..<300).map { _ in [0x20] + random(15) }
        for prefix in near {
            for _ in 0..<10 {
                addresses.append(prefix + random(4 - prefix.count))
                addresses.append([0x20, 0x02] + prefix + random(14 - prefix.count))
                addresses.append([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + prefix + random(4 - prefix.count))
            }
        }
        for start in [[0xFC], [0xFE, 0x80], [0xFF, 0x02], [0x20, 0x01, 0], [0x20, 0x01, 0x0D, 0xB8], [0, 0]]
            as [[UInt8]]
        {
            for _ in 0..<10 { addresses.append(start + random(16 - start.count)) }
        }
        let texts = addresses.map { bytes in
            bytes.count == 4
                ? bytes.map { "\($0)" }.joined(separator: ".")
                : stride(from: 0, to: 16, by: 2).map { Hexadecimal.text(bytes[$0...$0 + 1]) }.joined(separator: ":")
        }
        #expect(texts.map { NetworkAddress(text: $0)?.bytes } == addresses)
        let judged: [Bool] = try Oracles.ask("token_oracle.py", texts.map { ["ask": "is_public", "address": $0] })
        let ours = addresses.map { NetworkAddress(bytes: $0).isPublic }
        for (text, (own, judge)) in zip(texts, zip(ours, judged)) where own { #expect(judge, "\(text)") }
        // Stricter only where a range is given out for protocols, not for machines.
        for (address, (own, judge)) in zip(addresses, zip(ours, judged)) where judge && !own {
            let isForProtocols =
                address.starts(with: [192, 88, 99]) || address.starts(with: [192, 0, 0])
                || address.starts(with: [0x20, 0x01]) || address.starts(with: [0x20, 0x02, 192])
                || address.starts(with: [0, 0])
            #expect(isForProtocols, "\(address)")
        }
        #expect(ours.contains(true) && ours.contains(false))
    }
}

@Suite("Names as UUIDs")
struct NameUUIDTests {
    @Test(.withOracles) func `a name has the UUID that Python gives it`() throws {
        let space = [UInt8](1...16)
        for name in ["", "anna/reminder/#1\nphone", "é"] {
            let theirs: String = try Oracles.ask(
                "token_oracle.py", ["ask": "name_uuid", "space": Base64.encode(space), "name": name])
            #expect(NameUUID.text(name, in: space) == theirs)
        }
    }
}
