import CivilTime
import Synchronization
import Testing

@testable import Console

/// A port with one token for each role, tokens for persons, and a clock that is moved by hand.
final class Entry: Sendable {
    static let own = "the-worker-s-own-token-of-many-letters"
    static let start = Instant(milliseconds: 1_772_460_000_000)
    static let log: (UInt64, UInt64) = (1, 2)
    static let secret = Array("a secret of the worker's own, of more than 32 letters".utf8)
    /// Whom the log knows, in the order of their numbers.
    static let people = ["anna", "bert", "carl", "cleo", "dora"]

    let keeper: Doorkeeper
    let persons: PersonTokenDesk
    let worker = Worker()
    let hand: Hand

    /// - Parameters:
    ///   - people: whom the log knows, in the order of their numbers.
    ///   - revoked: what was written down by another run.
    ///   - later: has all of it written anew.
    init(
        hosts: [String] = ["belfry"], origins: [String] = ["https://app.example"], log: (UInt64, UInt64) = Entry.log,
        secrets: [[UInt8]] = [Entry.secret], people: [String] = Entry.people, revoked: [UInt8]? = nil,
        later: @escaping PersonTokenDesk.Later = { $0() }
    ) throws {
        let clock = Hand(people, file: revoked ?? [])
        keeper = Doorkeeper(
            own: try Bearer(Array(Self.own.utf8)), hosts: HostNames(hosts), origins: OriginNames(origins),
            clock: { clock.now }, note: { clock.note("\($1) \($0)") })
        persons = PersonTokenDesk(
            PersonTokens(secrets: secrets, log: log),
            revoked: try revoked.map { try RevokedTokens($0) } ?? RevokedTokens(),
            number: { clock.number(of: $0) }, clock: { clock.now }, later: later,
            write: { clock.write($0) })
        keeper.open(persons: persons)
        var operators = OperatorTokens()
        for role in Role.allCases {
            try operators.add(.init(name: "\(role.rawValue)er", role: role, endsAt: nil, token: Self.token(role)))
        }
        keeper.change(operators: operators)
        hand = clock
    }

    /// What changes under a test's hands.
    final class Hand: Sendable {
        private struct State: Sendable {
            var now = Entry.start
            /// The file, each time that something was written.
            var written: [[UInt8]] = []
            var file: [UInt8]
            var draft: [UInt8] = []
            var whenDrafted: @Sendable () -> Void = {}
            var complaint: String?
            var notes: [String] = []
            /// By their number in the log; `nil` for whoever was erased.
            var people: [String?]
        }

        private let state: Mutex<State>

        init(_ people: [String], file: [UInt8]) {
            state = Mutex(State(file: file, people: people))
        }

        var now: Instant { state.withLock { $0.now } }
        var written: [[UInt8]] { state.withLock { $0.written } }
        var notes: [String] { state.withLock { $0.notes } }
        func move(to instant: Instant) { state.withLock { $0.now = instant } }
        func fail(_ problem: String?) { state.withLock { $0.complaint = problem } }
        /// Before a draft takes the file's place.
        func whenDrafted(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.whenDrafted = work } }
        func enrol(_ user: String) { state.withLock { $0.people.append(user) } }
        func erase(_ user: String) {
            state.withLock { state in state.people = state.people.map { $0 == user ? nil : $0 } }
        }
        fileprivate func number(of user: String) -> PersonNumber? {
            state.withLock { $0.people.firstIndex(of: user) }.map { PersonNumber(log: 0, number: UInt32($0)) }
        }
        fileprivate func note(_ text: String) { state.withLock { $0.notes.append(text) } }
        fileprivate func write(_ what: RevokedTokens.Write) -> String? {
            if let complaint = state.withLock({ $0.complaint }) { return complaint }
            if case .draft(let bytes) = what {
                state.withLock { state in
                    state.draft = bytes
                    return state.whenDrafted
                }()
                return nil
            }
            state.withLock { state in
                switch what {
                case .whole(let bytes): state.file = bytes
                case .line(let line, let end): state.file = state.file.prefix(end) + line
                case .draft: break
                case .draftInPlace(let lines): state.file = state.draft + lines
                }
                state.written.append(state.file)
            }
            return nil
        }
    }

    static func token(_ role: Role) -> String { "bo_" + String(repeating: role.rawValue, count: 8) }

    var router: Router {
        var service = worker.service
        service.access = AccessService(keeper) { $0() }
        return Router(service)
    }

    func person(_ user: String, seconds: Int = 3600) -> String {
        persons.make(for: user, seconds: seconds)?.token ?? "none is made while they are being erased"
    }

    /// What a request over TCP is answered.
    func ask(
        _ method: String, _ target: String, showing token: String? = nil, _ headers: [(String, String)] = [],
        host: String? = "belfry", body: String = ""
    ) -> (status: Int, headers: HTTPHeaders, text: String) {
        let shown = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        let named = host.map { [("Host", $0)] } ?? []
        return router.answer(method, target, named + shown + headers, body: body, through: .port(keeper))
    }

    /// The cookie of whoever signs in with a token.
    func cookie(_ token: String) throws -> String {
        let answer = ask("POST", "/v1/session", body: #"{"token":"\#(token)"}"#)
        let set = try #require(answer.headers["Set-Cookie"])
        return String(set.prefix { $0 != ";" })
    }
}
