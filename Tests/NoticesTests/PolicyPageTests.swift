import Foundation
import Notices
import Testing

@Suite("The page about policies")
struct PolicyPageTests {
    @Test func `describes every field there is`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Notices/Policy/POLICY.md").standardized
        let page = try String(contentsOf: path, encoding: .utf8)
        let strays = [
            smallPolicy(#","?":1"#), smallPolicy(kind: #","?":1"#), smallPolicy(#","overload":{"?":1}"#),
            smallPolicy(#","frequencies":{"?":1}"#), smallPolicy(#","snoozes":{"?":1}"#),
            smallPolicy(#","ranges":{"?":1}"#),
            smallPolicy(#","presets":[{"name":"a","patch":{},"?":1}]"#),
            smallPolicy(kind: #","subtypes":[{"name":"a","?":1}]"#),
            smallPolicy(kind: #","copy":{"?":1}"#),
        ]
        for document in strays {
            let refusal = try #require(policyRefusal(document))
            let known = try #require(refusal.firstMatch(of: #/known here: (.*)\)/#)?.1)
            for field in known.split(separator: ", ") {
                #expect(page.contains("`\(field)`") || page.contains("\"\(field)\""), "\(field)")
            }
        }
        for name in Copy.counting + Copy.wording { #expect(page.contains("`\(name)`")) }
        for name in ShippedPolicies.names.prefix(1) { #expect(page.contains("`\(name)`")) }
    }
}
