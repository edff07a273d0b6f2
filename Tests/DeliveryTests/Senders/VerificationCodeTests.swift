import CivilTime
import Synchronization
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

extension VerificationCodeTests {
    @Test func `a code that is out stays right when a newer secret is put in front`() {
        let (first, second, third) = (Array("first".utf8), Array("second".utf8), Array("third".utf8))
        func code(_ codes: VerificationCode) -> String { codes.text(user: "anna", phone: "+14155550123", request: 7) }
        func isRight(_ given: String, _ codes: VerificationCode) -> Bool {
            codes.isRight(given, user: "anna", phone: "+14155550123", request: 7)
        }
        let now = VerificationCode(secret: third, older: [second, first])
        for before in [first, second] { #expect(isRight(code(VerificationCode(secret: before)), now)) }
        #expect(code(now) == code(VerificationCode(secret: third)), "the newest makes them")
        #expect(isRight(code(now), now) && !isRight(code(now), VerificationCode(secret: first)))
        #expect(!isRight("", now))
    }
}

@Suite("N9, codes on their way")
struct CodeDeskTests {
    /// A provider that says what it is told to, and a time that passes when somebody waits.
    private final class Provider: Sendable {
        struct State: Sendable {
            var now = newYear
            var verdicts: [SenderVerdict]
            var sent: [String] = []
            var told: [String] = []
            /// What happens while the next one waits.
            var meanwhile: (@Sendable () -> Void)?
            /// How long the line is.
            var minutesInLine: Int64 = 0
        }

        let state: Mutex<State>

        init(_ verdicts: SenderVerdict...) { state = Mutex(State(verdicts: verdicts)) }

        var desk: CodeDesk {
            CodeDesk(
                clock: { self.state.withLock { $0.now } },
                later: { milliseconds, then in
                    let meanwhile = self.state.withLock { state in
                        state.now = state.now.advanced(byMilliseconds: milliseconds)
                        defer { state.meanwhile = nil }
                        return state.meanwhile
                    }
                    meanwhile?()
                    then()
                },
                lineUp: { errand in
                    self.state.withLock { $0.now = $0.now.advanced(byMinutes: $0.minutesInLine) }
                    errand.turn { if let verdict = $0 { errand.ended(verdict) } }
                },
                send: { code, phone, seconds, answer in
                    let verdict = self.state.withLock { state in
                        state.sent.append("\(code) to \(phone), good for \(seconds)")
                        return state.verdicts.count > 1 ? state.verdicts.removeFirst() : state.verdicts[0]
                    }
                    answer(verdict)
                })
        }

        func hear(_ verdict: SenderVerdict) { state.withLock { $0.told.append(verdict.told) } }
        var sent: [String] { state.withLock { $0.sent } }
        var told: [String] { state.withLock { $0.told } }
    }

    private static let busy = SenderVerdict.wait(seconds: 20, reason: "answered 429", whom: .sender)

    @Test func `one that was surely not taken is tried again, and says how long it is still good`() throws {
        let provider = Provider(Self.busy, .transient(reason: "could not be reached"), .taken(providerID: "SM1"))
        provider.desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent.count == 3 && provider.told == ["taken as SM1"])
        #expect(provider.sent.first == "123456 to +14155550123, good for 600")
        let left = try provider.sent.dropFirst().map { try #require(Int($0.split(separator: " ").last ?? "")) }
        #expect(left[0] <= 580 && left[0] >= 575 && left[1] < left[0])
    }

    @Test func `one that may have been taken, or never will be, is not`() {
        for verdict in [
            SenderVerdict.final(reason: "timed out; it may have been taken"), .dead(reason: "answered 400"),
        ] {
            let provider = Provider(verdict)
            provider.desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
            #expect(provider.sent.count == 1 && provider.told == [verdict.told])
        }
    }

    @Test func `it is given up when it is good for nothing any more`() {
        let provider = Provider(Self.busy)
        provider.desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.told.count == 1)
        #expect(provider.state.withLock { $0.now } <= newYear.advanced(byMinutes: 10))
    }

    @Test func `one that stood in line for too long is given to nobody`() {
        let provider = Provider(.taken(providerID: "SM1"))
        provider.state.withLock { $0.minutesInLine = 10 }
        provider.desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent.isEmpty && provider.told.first?.contains("good for nothing any more") == true)
    }

    @Test func `it says how long it is good when its turn has come`() {
        let provider = Provider(.taken(providerID: "SM1"))
        provider.state.withLock { $0.minutesInLine = 4 }
        provider.desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent == ["123456 to +14155550123, good for 360"])
    }

    @Test func `one whose log may be another's by now is given to nobody (M2)`() {
        let provider = Provider(Self.busy, .taken(providerID: "SM1"))
        let isOurs = Atomic(true)
        provider.state.withLock { $0.meanwhile = { isOurs.store(false, ordering: .relaxed) } }
        provider.desk.send(
            "123456", to: "+14155550123", of: "anna", request: 7, while: { isOurs.load(ordering: .relaxed) }
        ) { provider.hear($0) }
        #expect(provider.sent.count == 1 && provider.told.first?.contains("good for nothing any more") == true)
    }

    @Test func `one whose person was erased meanwhile is not tried again (E1)`() {
        let provider = Provider(Self.busy, .taken(providerID: "SM1"))
        let desk = provider.desk
        provider.state.withLock { $0.meanwhile = { desk.erase("anna") } }
        desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent.count == 1 && provider.told.count == 1)
    }

    @Test func `somebody else's code to the same number does not`() {
        let provider = Provider(Self.busy, .taken(providerID: "SM2"), .taken(providerID: "SM1"))
        let desk = provider.desk
        provider.state.withLock {
            $0.meanwhile = { desk.send("654321", to: "+14155550123", of: "ben", request: 8) { _ in } }
        }
        desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent.map { $0.prefix(6) } == ["123456", "654321", "123456"])
        #expect(provider.told == ["taken as SM1"])
    }

    @Test func `a newer code takes its place`() {
        let provider = Provider(Self.busy, .taken(providerID: "SM2"), .taken(providerID: "SM1"))
        let desk = provider.desk
        provider.state.withLock {
            $0.meanwhile = { desk.send("654321", to: "+14155550123", of: "anna", request: 8) { _ in } }
        }
        desk.send("123456", to: "+14155550123", of: "anna", request: 7) { provider.hear($0) }
        #expect(provider.sent.map { $0.prefix(6) } == ["123456", "654321"])
        #expect(provider.told.first?.contains("good for nothing any more") == true)
    }
}
