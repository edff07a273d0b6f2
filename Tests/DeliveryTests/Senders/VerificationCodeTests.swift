import Testing

@testable import Delivery

@Suite("N9, codes for phones")
struct VerificationCodeTests {
    private let codes = VerificationCode(secret: Array("0123456789abcdef0123456789abcdef".utf8))

    @Test func `a code has six digits, and is the same whenever it is asked for`() {
        for request in UInt64(1)...2000 {
            let code = codes.text(user: "anna", phone: "+14155550123", request: request)
            #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
            #expect(codes.isRight(code, user: "anna", phone: "+14155550123", request: request))
        }
    }

    @Test func `it is of one person, one number, one asking and one secret`() {
        let code = codes.text(user: "anna", phone: "+14155550123", request: 7)
        #expect(!codes.isRight(code, user: "ben", phone: "+14155550123", request: 7))
        #expect(!codes.isRight(code, user: "anna", phone: "+14155550124", request: 7))
        #expect(!codes.isRight(code, user: "anna", phone: "+14155550123", request: 8))
        #expect(!VerificationCode(secret: [1]).isRight(code, user: "anna", phone: "+14155550123", request: 7))
        #expect(!codes.isRight("", user: "anna", phone: "+14155550123", request: 7))
        #expect(!codes.isRight(code + "0", user: "anna", phone: "+14155550123", request: 7))
    }
}
