import Notices
import Simulation
import Testing

@Suite("JSON merge patches")
struct MergePatchTests {
    /// RFC 7396, Appendix A, as it stands there.
    private static let appendixA: [(original: String, patch: String, result: String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test func `the cases of the RFC`() {
        for (original, patch, result) in Self.appendixA {
            #expect(json(original).merged(with: json(patch)).text == result, "\(original) \(patch)")
        }
    }

    @Test func `what differs, laid over what it differs from, gives the whole again`() {
        var random = RandomJSON(seed: 7396)
        var count = 0
        for _ in 0..<2_000 {
            guard let base = JSONValue(parsing: random.value()), let patch = JSONValue(parsing: random.value()) else {
                continue
            }
            let whole = base.merged(with: patch)
            guard whole.isObject, base.isObject else { continue }
            count += 1
            // A patch cannot say that a member is to be null, nor what is no longer there.
            let difference = whole.difference(from: base) ?? .emptyObject
            let again = base.merged(with: difference)
            #expect(whole.difference(from: again) == nil || difference.text.contains("null"))
            #expect(base.difference(from: base) == nil)
        }
        #expect(count > 0)
    }
}
