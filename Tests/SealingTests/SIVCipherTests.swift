import Foundation
import Simulation
import Testing

@testable import Hashing

@Suite("RFC 5297, AES-SIV")
struct SIVCipherTests {
    private func sealed(_ plain: [UInt8], _ associated: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let cipher = SIVCipher(keyBytes: key.count)
        key.withUnsafeBytes { cipher.use($0) }
        return sealed(plain, associated, by: cipher)
    }

    private func sealed(_ plain: [UInt8], _ associated: [UInt8], by cipher: SIVCipher) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: plain.count + SIVCipher.codeBytes)
        out.withUnsafeMutableBytes { out in
            plain.withUnsafeBytes { plain in
                associated.withUnsafeBytes { cipher.seal(plain, for: $0, into: out) }
            }
        }
        return out
    }

    private func opened(_ sealed: [UInt8], _ associated: [UInt8], by cipher: SIVCipher) -> [UInt8]? {
        var out = [UInt8](repeating: 0xAA, count: sealed.count - SIVCipher.codeBytes)
        let isOpen = out.withUnsafeMutableBytes { out in
            sealed.withUnsafeBytes { sealed in
                associated.withUnsafeBytes { cipher.open(sealed, for: $0, into: out) }
            }
        }
        if !isOpen { #expect(out.allSatisfy { $0 == 0 }, "what could not be opened was left lying about") }
        return isOpen ? out : nil
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(hexadecimal)) }

    @Test func `the example A-1 of the RFC`() throws {
        let key = try bytes("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let associated = try bytes("101112131415161718191a1b1c1d1e1f2021222324252627")
        let answer = sealed(try bytes("112233445566778899aabbccddee"), associated, key)
        #expect(Hexadecimal.text(answer) == "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
    }

    /// Made with PyPI's cryptography.
    @Test func `AES-256 as another library has it`() throws {
        let key = (0..<64).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        let answer = sealed([2] + [UInt8](repeating: 0, count: 47), [1] + [UInt8](repeating: 0, count: 27), key)
        #expect(
            Hexadecimal.text(answer)
                == "63eb04ab5cd2a1e6dd69fc3ea11a64b6451c9e324f674a862ea9a72deb92ba59ad60716f128a5282fdd996e5ee494d77d2bac28458a5ebd27f5c69e72d8074f7"
        )
    }

    @Test(.enabled(if: SealingOracle.isInstalled))
    func `every length is sealed as another library seals it`() throws {
        var random = SeededRandom(seed: 5)
        func some(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        let cipher = SIVCipher()
        var (questions, answers): ([[String: String]], [String]) = ([], [])
        // Around the blocks, and around the pieces in which a long message is handled.
        let lengths = Array(1...80) + Array(490...530) + [1000, 1024, 5000]
        for (turn, length) in lengths.enumerated() {
            let (key, associated, plain) = (some(64), some(1 + turn * 3 % 600), some(length))
            key.withUnsafeBytes { cipher.use($0) }
            let answer = sealed(plain, associated, by: cipher)
            #expect(opened(answer, associated, by: cipher) == plain)
            answers.append(Hexadecimal.text(answer))
            questions.append([
                "ask": "seal", "key": Hexadecimal.text(key), "associated": Hexadecimal.text(associated),
                "plain": Hexadecimal.text(plain),
            ])
        }
        #expect(try SealingOracle.ask(questions) == answers)
    }

    @Test func `nothing that was changed is opened`() {
        let cipher = SIVCipher()
        (0..<64).map { UInt8($0) }.withUnsafeBytes { cipher.use($0) }
        let (plain, associated) = (Array("a short text of some length".utf8), Array("where it belongs".utf8))
        let answer = sealed(plain, associated, by: cipher)
        for bit in 0..<answer.count * 8 {
            var changed = answer
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(opened(changed, associated, by: cipher) == nil)
        }
        for bit in 0..<associated.count * 8 {
            var elsewhere = associated
            elsewhere[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(opened(answer, elsewhere, by: cipher) == nil)
        }
        #expect(opened(answer, associated, by: cipher) == plain)
        (1..<65).map { UInt8($0) }.withUnsafeBytes { cipher.use($0) }
        #expect(opened(answer, associated, by: cipher) == nil)
    }

    @Test func `a key that is set again seals as it did before`() {
        let cipher = SIVCipher()
        func use(_ seed: UInt8) { [UInt8](repeating: seed, count: 64).withUnsafeBytes { cipher.use($0) } }
        use(1)
        let first = (0..<40).map { sealed([UInt8](repeating: 9, count: $0), [3], by: cipher) }
        use(2)
        let second = (0..<40).map { sealed([UInt8](repeating: 9, count: $0), [3], by: cipher) }
        use(1)
        #expect((0..<40).map { sealed([UInt8](repeating: 9, count: $0), [3], by: cipher) } == first)
        #expect(zip(first, second).allSatisfy { $0 != $1 })
    }

    /// A cipher that has had other keys, and has failed to open something, against one that has had none.
    @Test(arguments: [32, 64], 0..<4) func `a cipher of many keys seals as a new one does`(keyBytes: Int, seed: UInt64)
    {
        var random = SeededRandom(seed: seed)
        func some(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        let used = SIVCipher(keyBytes: keyBytes)
        for _ in 0..<200 {
            let key = some(keyBytes)
            key.withUnsafeBytes { used.use($0) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let (plain, associated) = (
                    some(Int.random(in: 0...70, using: &random) * Int.random(in: 1...9, using: &random)),
                    some(Int.random(in: 0...40, using: &random))
                )
                let answer = sealed(plain, associated, by: used)
                #expect(answer == sealed(plain, associated, key))
                #expect(opened(answer, associated, by: used) == plain)
                #expect(opened(answer, associated + [0], by: used) == nil)
            }
        }
    }

    @Test func `the example of the RFC under a key that comes after another`() throws {
        let cipher = SIVCipher(keyBytes: 32)
        for key in [
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        ] { try bytes(key).withUnsafeBytes { cipher.use($0) } }
        let associated = try bytes("101112131415161718191a1b1c1d1e1f2021222324252627")
        let answer = sealed(try bytes("112233445566778899aabbccddee"), associated, by: cipher)
        #expect(Hexadecimal.text(answer) == "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
    }
}
