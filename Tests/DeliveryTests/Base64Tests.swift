import Foundation
import Testing

@testable import Delivery

@Suite("Base64")
struct Base64Tests {
    @Test func `bytes are read back from one way of writing them, as Foundation writes them, and from no other`() {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for count in 0...9 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count * 57 + 131) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text) == bytes)
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
            let bare = String(text.prefix { $0 != "=" })
            #expect(Base64.decode(bare) == bytes)
            let same = digits.map { String(bare.dropLast()) + String($0) }.filter { Base64.decode($0) == bytes }
            #expect(same == (count == 0 ? [] : [bare]))
            // Secrets were made up by people and by other programs.
            let lenient = digits.map { String(bare.dropLast()) + String($0) }
                .filter { Base64.decode($0, mayEndOddly: true) == bytes }
            #expect(lenient.count == (count == 0 ? 0 : [1, 16, 4][count % 3]))
        }
    }
}
