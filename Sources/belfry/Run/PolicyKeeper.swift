import CivilTime
import Dispatch
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// Which policy the worker is to have, as the command line names it: adopted as a fact where the log has another.
///
/// Of several workers with a log in common the newest word counts: a document that one of them has read is nothing to a policy
/// that was adopted since.
final class PolicyKeeper: Sendable {
    private let word: String?
    private let world: World
    private let zones: ZoneDatabase
    private let log: RunLog
    private let state = Mutex(State())
    let reading = FileReading()

    /// A document as it was read.
    private struct Wanted: Sendable {
        var text: String
        var readAt: Instant
    }

    private struct State: Sendable {
        var wanted: Wanted?
        /// The document that the log adopted last, whoever told it, and its number there.
        var text: String? { didSet { read = nil } }
        /// That document, once somebody asked what it says.
        var read: Policy?
        var seq: UInt64 = 0
        /// Those that the worker was given and has not yet answered for, in their order.
        var onTheirWay: [Adoption] = []
        var given = 0
    }

    private struct Adoption: Sendable {
        var number: Int
        var text: String
        /// Who wants to hear that it is over.
        var waiting: [@Sendable () -> Void]
    }

    /// What is to be done about a document that was read.
    private enum Step {
        case nothing
        /// It was given to the worker just before.
        case wait
        case give(Int)
    }

    init(_ word: String?, _ world: World, _ zones: ZoneDatabase, _ log: RunLog) throws(Failure) {
        self.word = word
        self.world = world
        self.zones = zones
        self.log = log
        guard let word else { return }
        let wanted = Wanted(text: Self.compact(try world.policy(word, zones).text), readAt: world.clock())
        state.withLock { $0.wanted = wanted }
    }

    /// What the log is to say of the policy when the worker starts.
    func name(inForce recorded: String?) -> String {
        let text = state.withLock { $0.wanted?.text } ?? recorded ?? ShippedPolicies.text(of: "standard") ?? ""
        return (try? Policy(recorded: text))?.name.text ?? "unknown"
    }

    /// What people call a kind of notice, by the policy in force; `nil` for one that it has not.
    func label(ofKind name: String) -> String? { inForce?.kinds.first { $0.name.text == name }?.label.text }

    private var inForce: Policy? {
        state.withLock { state in
            if state.read == nil { state.read = state.text.flatMap { try? Policy(recorded: $0) } }
            return state.read
        }
    }

    /// A log without a policy adopts one; so does one that has another than was named.
    ///
    /// - Parameters:
    ///   - atOnce: whether it is to be durable when this returns, and not only the first thing that the worker does.
    ///   - isTakenOver: whether another worker may have adopted one since the document was read.
    ///   - done: called when the log has the policy that was named, or it is known why not.
    func adopt(
        into opening: WorkerOpening, atOnce: Bool, isTakenOver: Bool = false,
        done: @escaping @Sendable () -> Void = {}
    ) {
        let recorded = opening.policy.map(Self.compact)
        let wanted = state.withLock { state in
            state.text = recorded
            return state.wanted
        }
        if isTakenOver, let wanted, let adoptedAt = opening.policyAdoptedAt, adoptedAt >= wanted.readAt {
            return done()
        }
        let standard = recorded == nil ? ShippedPolicies.text(of: "standard").map(Self.compact) : nil
        guard let text = wanted?.text ?? standard else { return done() }
        let number: Int
        switch step(text, done: done) {
        case .give(let given): number = given
        case .nothing: return done()
        case .wait: return
        }
        let heard: Reply<[FactReceipt]> = { [self] result in
            defer { end(number) }
            switch result {
            case .success(let receipts):
                if let problem = hear(text, receipts.first) { log.error("the policy is not adopted: \(problem)") }
            case .failure(let refusal): log.error("the policy could not be adopted: \(refusal)")
            }
        }
        guard atOnce else { return opening.core.ask(facts: [Self.fact(text)], heard) }
        heard(opening.core.takeAlone([Self.fact(text)], allOrNothing: false, clock: world.clock))
    }

    /// What was said of a policy that was told, by whomever, as the log has it. Returns why it was refused.
    @discardableResult
    func hear(_ text: String, _ receipt: FactReceipt?, from who: String? = nil) -> FieldError? {
        switch receipt {
        case .recorded(let seq, _):
            if let who { log.info("another policy is in force", ("seq", "\(seq)"), ("by", who)) }
            // Answers may come in another order than the log has.
            state.withLock { if seq > $0.seq { ($0.text, $0.seq) = (text, seq) } }
            return nil
        case .refused(let problem): return problem
        case .duplicate, .leftOut, nil: return nil
        }
    }

    /// Reads the file again, and adopts what has changed: itself, or by the worker that records what is about everyone.
    ///
    /// - Parameters:
    ///   - neighbours: the others with whom the log is shared, who may have adopted it already.
    ///   - disk: with the keys of their logs.
    func reread(_ town: Town, _ neighbours: Neighbours?, on disk: any Disk, done: @escaping @Sendable () -> Void) {
        guard let word else {
            log.info("no --policy was given, so there is none to read again")
            return done()
        }
        let text: String
        do throws(Failure) { text = Self.compact(try world.policy(word, zones, isReadAgain: true).text) } catch {
            // Before it is said: whoever hears that may ask again at once.
            done()
            return stays(error.sentence, word)
        }
        let wanted = Wanted(text: text, readAt: world.clock())
        let everyones: String?
        do throws(JournalError) {
            everyones = try neighbours.flatMap { (others) throws(JournalError) in
                try Self.everyones(in: town.directory, others, on: disk)
            }
        } catch {
            done()
            return log.error("the policy stays as it was: the one in force cannot be read: \(error)")
        }
        state.withLock { state in
            state.wanted = wanted
            if let everyones, state.onTheirWay.isEmpty { state.text = everyones }
        }
        switch step(text, done: done) {
        case .nothing:
            reading.ended(nil)
            done()
            log.info("the policy has not changed", ("policy", word))
        case .wait: log.info("the policy is being adopted already", ("policy", word))
        case .give(let number): give(text, number, to: town, neighbours)
        }
    }

    /// What everyone is under, in a log that others share. This machine's copy of it may be being filled at this very moment.
    private static func everyones(
        in directory: DataDirectory, _ neighbours: Neighbours, on disk: any Disk
    ) throws(JournalError) -> String? {
        do throws(JournalError) { return try Copies.policy(in: directory, on: disk).map(compact) } catch {
            neighbours.wantEveryone()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + filling)
            return try Copies.policy(in: directory, on: disk).map(compact)
        }
    }

    private static let filling = DispatchTimeInterval.milliseconds(500)

    /// Held against what comes last: a document on its way, else the one in force.
    private func step(_ text: String, done: @escaping @Sendable () -> Void) -> Step {
        state.withLock { state in
            if let last = state.onTheirWay.indices.last, state.onTheirWay[last].text == text {
                state.onTheirWay[last].waiting.append(done)
                return .wait
            }
            if state.onTheirWay.isEmpty, state.text == text { return .nothing }
            state.given += 1
            state.onTheirWay.append(Adoption(number: state.given, text: text, waiting: [done]))
            return .give(state.given)
        }
    }

    private func end(_ number: Int) {
        let waiting = state.withLock { state in
            let ended = state.onTheirWay.filter { $0.number == number }
            state.onTheirWay.removeAll { $0.number == number }
            return ended.flatMap(\.waiting)
        }
        for done in waiting { done() }
    }

    /// What was read is not adopted.
    private func stays(_ problem: String, _ word: String?) {
        let words = "the policy stays as it was: \(problem)"
        reading.ended(words)
        log.error(words, ("policy", word ?? ""))
    }

    private func give(_ text: String, _ number: Int, to town: Town, _ neighbours: Neighbours?) {
        let policy = ("policy", word ?? "")
        let intake = town.submit(
            [Self.fact(text)], bytes: text.utf8.count, allOrNothing: false,
            passOn: neighbours?.passingOwn(from: town)
        ) { [self] result in
            switch result {
            case .success(let receipts):
                let problem = hear(text, receipts.first)
                // Before it is said: whoever hears that may ask again at once.
                end(number)
                if let problem { return stays("\(problem)", word) }
                reading.ended(nil)
                log.info("another policy is in force", policy)
            case .failure(let refusal):
                end(number)
                log.error("the policy could not be adopted: \(refusal)")
            }
        }
        guard intake != .taken else { return }
        log.error("the worker is too busy to adopt the policy; send SIGHUP again")
        end(number)
    }

    /// As a log has it: on one line.
    private static func compact(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            (try? JSONTape().parse(UnsafeRawBufferPointer(bytes))).map { JSONDocument($0).text }
        } ?? text
    }

    private static func fact(_ text: String) -> Fact {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: text)
        return Fact(payload: .policyAdopted(adoption))
    }
}
