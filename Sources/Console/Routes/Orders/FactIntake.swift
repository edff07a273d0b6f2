internal import Notices

/// Reads the facts of a body, and keeps for each line what is to be said of it.
struct FactIntake {
    /// What became of a line that is not blank: the place of its fact, or why it is none.
    enum Outcome: Equatable {
        case fact(Int)
        case refused(String)
    }

    struct Line: Equatable {
        let number: Int
        let outcome: Outcome
    }

    /// As many facts as a commit takes without holding others up, and as many answers as fit a response.
    static let linesMax = 65_536
    private static let lineBytesMax = 1 << 20
    private static let lineBytesUsual = 64

    private(set) var facts: [Fact] = []
    private(set) var lines: [Line] = []
    /// How many lines were refused, by the type that they said they were.
    private(set) var refusedByType: [String: Int] = [:]
    /// About what the facts take to keep.
    private(set) var bytes = 0
    /// Each fact's line, where they are kept.
    private(set) var facsimiles: [[UInt8]] = []
    private let keepsLines: Bool
    private let reader: FactReader
    /// Of the request, for those facts that say nothing of their own (`N11`).
    private let trace: TraceParent?

    init(trace: TraceParent? = nil, keepsLines: Bool = false, zoneProblem: @escaping (String) -> String?) {
        self.trace = trace
        self.keepsLines = keepsLines
        reader = FactReader(zoneProblem: zoneProblem)
    }

    var refused: Int { lines.count - facts.count }

    /// - Parameter headers: where the attributes of a CloudEvent may stand.
    mutating func take(
        _ body: [UInt8], _ format: FactFormat, _ headers: HTTPHeaders = HTTPHeaders()
    ) throws(RouteProblem) {
        switch format {
        case .document where body.count <= Self.lineBytesMax && takeDocument(body): return
        case .document, .lines: try takeLines(body)
        case .cloudEvent, .cloudEvents: try takeCloudEvents(body, isBatch: format == .cloudEvents)
        case .binaryCloudEvent: take(1, body.count) { () throws(Refusal) in try CloudEvent(headers, body: body) }
        }
    }

    // MARK: CloudEvents

    private mutating func takeCloudEvents(_ body: [UInt8], isBatch: Bool) throws(RouteProblem) {
        // An event has its data one level deeper than a fact's line, and a batch its events one more.
        let tape = JSONTape(limits: JSONLimits(bytesMax: max(body.count, 1), depthMax: isBatch ? 33 : 32))
        let root: JSONNode
        do throws(JSONError) {
            root = try body.withUnsafeBufferPointer { (utf8) throws(JSONError) in
                try tape.parse(UnsafeRawBufferPointer(utf8))
            }
        } catch {
            throw .badBody(.notJSON(error))
        }
        guard isBatch else { return take(1, body.count) { () throws(Refusal) in try CloudEvent(root) } }
        guard root.isArray else { throw .badBody(.field(FieldError("a batch of CloudEvents is a JSON array"))) }
        guard root.count <= Self.linesMax else {
            throw .tooLarge("more than \(Self.linesMax) events at once; send them in parts")
        }
        let size = body.count / max(root.count, 1)
        for (place, node) in root.elements.enumerated() {
            take(place + 1, size) { () throws(Refusal) in try CloudEvent(node) }
        }
    }

    private mutating func take(_ number: Int, _ size: Int, _ event: () throws(Refusal) -> CloudEvent) {
        do throws(Refusal) {
            let event = try event()
            do throws(Refusal) {
                let (fact, line) = try event.fact(reader)
                keep(fact, number, size, line[...])
            } catch {
                refuse(number, "\(error)", type: event.factType)
            }
        } catch {
            refuse(number, "\(error)", type: nil)
        }
    }

    // MARK: Lines

    /// What holds for everybody is an administrator's to say, by whichever way it comes.
    func check(_ access: Access) throws(RouteProblem) {
        if case .operator(let known) = access, known.role >= .admin { return }
        for fact in facts {
            guard case .policyAdopted = fact.payload else { continue }
            throw .forbidden("to adopt a policy takes the role admin; nothing was recorded")
        }
    }

    private mutating func takeLines(_ body: [UInt8]) throws(RouteProblem) {
        facts.reserveCapacity(min(Self.linesMax, body.count / Self.lineBytesUsual))
        lines.reserveCapacity(facts.capacity)
        var number = 0
        var rest = body[...]
        while !rest.isEmpty {
            number += 1
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            var line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            if line.last == 0x0D { line.removeLast() }
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            guard lines.count < Self.linesMax else {
                throw .tooLarge("more than \(Self.linesMax) facts at once; send them in parts")
            }
            take(line, number)
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard line.count <= Self.lineBytesMax else {
            return refuse(number, "the line is longer than \(Self.lineBytesMax) bytes", type: nil)
        }
        do throws(Refusal) {
            keep(try read(line), number, line.count, line)
        } catch {
            refuse(number, "\(error)", type: reader.lastType?.text)
        }
    }

    private func read(_ text: ArraySlice<UInt8>) throws(Refusal) -> Fact {
        try text.withUnsafeBufferPointer { (bytes) throws(Refusal) in try reader.read(UnsafeRawBufferPointer(bytes)) }
    }

    /// One object, which need not stand on one line. A place in it is told by its own line.
    ///
    /// Answers `false`, and takes nothing, where the body is no document, but one of its lines is an object: they are facts
    /// of which some cannot be read, and the others must not be lost with them.
    private mutating func takeDocument(_ body: [UInt8]) -> Bool {
        guard let start = body.firstIndex(where: { !$0.isJSONSpace }) else { return true }
        let line = body[..<start].count(where: { $0 == 0x0A }) + 1
        do throws(Refusal) {
            keep(try read(body[...]), line, body.count, body[...])
        } catch .notJSON(let error) {
            if Self.holdsLineOfItsOwn(body) { return false }
            let before = body.prefix(max(error.column - 1, 0))
            let number = before.count(where: { $0 == 0x0A }) + 1
            let column = error.column - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
            var moved = error
            moved.column = column
            refuse(number, "\(Refusal.notJSON(moved))", type: nil)
        } catch {
            refuse(line, "\(error)", type: reader.lastType?.text)
        }
        return true
    }

    /// Whether one of several lines that are not blank is a whole JSON object by itself.
    private static func holdsLineOfItsOwn(_ body: [UInt8]) -> Bool {
        let lines = body.split(separator: 0x0A).filter { $0.contains { !$0.isJSONSpace } }
        let tape = JSONTape()
        return lines.count > 1
            && lines.contains { line in
                // What cannot be one is not worth the reading.
                line.first { !$0.isJSONSpace } == UInt8(ascii: "{")
                    && line.withUnsafeBytes { (try? tape.parse($0))?.isObject == true }
            }
    }

    private mutating func keep(_ fact: Fact, _ number: Int, _ size: Int, _ text: ArraySlice<UInt8>) {
        // A document may have lines; in JSON a line end is a blank like any other.
        if keepsLines { facsimiles.append(text.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }) }
        lines.append(Line(number: number, outcome: .fact(facts.count)))
        facts.append(fact)
        if let trace, fact.trace == nil { facts[facts.count - 1].trace = trace }
        bytes += size + 64
    }

    private mutating func refuse(_ number: Int, _ problem: String, type: String?) {
        lines.append(Line(number: number, outcome: .refused(problem)))
        refusedByType[type ?? Self.unknownType, default: 0] += 1
    }

    /// Whatever is no type of fact: names that senders make up would grow without end.
    private static let unknownType = "unknown"
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
