public import Notices

/// `POST /v1/facts`: what is told of each line once everything is durable.
extension OrderService {
    func takeFacts(
        _ call: Call, isAllOrNothing: Bool, _ reply: @escaping HTTPHandler.Reply
    ) throws(RouteProblem) {
        var intake = FactIntake(trace: call.trace, keepsLines: keepsLines, zoneProblem: zoneProblem)
        try intake.take(call.request.body, try FactFormat(call.request.headers), call.request.headers)
        if !intake.refusedByType.isEmpty { refused(intake.refusedByType) }
        try intake.check(call.access)
        let lines = intake.lines
        guard !intake.facts.isEmpty, !(isAllOrNothing && intake.refused > 0) else {
            let withheld = intake.facts.map { _ in FactAnswer.success(.leftOut) }
            return reply(FactsReport(lines: lines, answers: withheld).response)
        }
        let partitions = partition(nil) == nil ? [] : intake.facts.map { partition($0.user) }
        var order = AppendOrder(
            facts: intake.facts, bytes: intake.bytes, isAllOrNothing: isAllOrNothing, who: call.access.name)
        order.lines = intake.facsimiles
        order.isPassedOn = call.request.isPassedOn
        if let text = call.request.headers[PassedOn.addressees] {
            guard let addressees = PassedOn.addressees(text), addressees.count == order.facts.count else {
                throw .badParameter(
                    FieldError("\(PassedOn.addressees) does not say for each fact whom it is about"))
            }
            for (place, addressee) in addressees.enumerated() { order.facts[place].addressee = addressee }
        }
        if let text = call.request.headers[PassedOn.traces],
            let traces = PassedOn.traces(text, count: order.facts.count)
        {
            for (place, trace) in traces.enumerated() { order.facts[place].trace = trace }
        }
        append(order) { answer in
            switch answer {
            case .success(let answers):
                reply(FactsReport(lines: lines, answers: answers, partitions: partitions).response)
            case .failure(let inability): reply(inability.response(toOrder: true))
            }
        }
    }
}

/// How a request says that another worker passed it on.
public enum PassedOn {
    public static let header = "Belfry-Passed-On"
    /// Of an answer: what was asked for is not this worker's, and nothing was done.
    public static let notHere = "Belfry-Not-Here"
    /// Whom each fact is about of all who had its id, where that is not whoever has it.
    public static let addressees = "Belfry-Addressees"
    /// The trace of each fact, where they are not all of the request's own (`N11`).
    public static let traces = "Belfry-Traces"
    /// The person who asked, with a token of their own: they may ask only so often for what costs money, and only so much at
    /// once.
    public static let byPerson = "Belfry-By-Person"

    /// What is believed of workers alone.
    static let fromWorkers = [header, addressees, traces, byPerson]

    /// Beyond so many bytes a header is too long for whoever hears it.
    private static let tracesBytesMax = 8 << 10

    /// What says of which trace facts are: the request's, as for all who tell facts, or one for each.
    public static func fields(_ traces: [TraceParent?]) -> [(name: String, value: String)] {
        let texts = traces.map { $0?.text ?? "" }
        guard let first = texts.first, texts.contains(where: { !$0.isEmpty }) else { return [] }
        if texts.allSatisfy({ $0 == first }) { return [("traceparent", first)] }
        let text = texts.joined(separator: ",")
        return text.utf8.count > tracesBytesMax ? [] : [(Self.traces, text)]
    }

    /// `nil` for what is no list of so many.
    static func traces(_ text: String, count: Int) -> [TraceParent?]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count == count ? parts.map { TraceParent(header: String($0)) } : nil
    }

    public static func text(_ addressees: [Addressee?]) -> String {
        addressees.map { $0?.text ?? "" }.joined(separator: ",")
    }

    static func addressees(_ text: String) -> [Addressee?]? {
        var all: [Addressee?] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard !part.isEmpty else {
                all.append(nil)
                continue
            }
            guard let addressee = Addressee(String(part)) else { return nil }
            all.append(addressee)
        }
        return all
    }
}

extension HTTPRequest {
    /// Whether another worker passed it on, which believes it to be for this one.
    public var isPassedOn: Bool { headers[PassedOn.header] != nil }
}

/// The lines of a request and what became of each, in their order.
struct FactsReport {
    let lines: [FactIntake.Line]
    /// One for each fact.
    let answers: [FactAnswer]
    /// Whose numbers each tells; empty where one log holds everybody.
    var partitions: [Int?] = []

    /// 200 when nothing was refused. Otherwise 400, and what was accepted is recorded all the same. Where a log did not answer,
    /// 503, and each line says what is known of it.
    var response: HTTPResponse {
        var results = ByteBuffer(capacity: 64 * lines.count)
        var counts = Counts()
        for (place, line) in lines.enumerated() {
            if place > 0 { results.append(",") }
            let answer: FactAnswer
            var partition: Int?
            switch line.outcome {
            case .fact(let index):
                answer = answers[index]
                if !partitions.isEmpty { partition = partitions[index] }
            case .refused(let problem): answer = .success(.refused(FieldError(problem)))
            }
            counts.count(answer)
            results.append("{\"line\":\(line.number),")
            if let partition { results.append("\"partition\":\(partition),") }
            switch answer {
            case .success(let receipt): receipt.write(into: &results)
            case .failure(let inability): inability.write(into: &results)
            }
            results.append("}")
        }
        var body = ByteBuffer(capacity: results.count + 64)
        body.append("{\"accepted\":\(counts.accepted),\"refused\":\(counts.refused),")
        counts.writeProblem(into: &body)
        body.append("\"results\":[")
        body.append(results.bytes)
        body.append("]}")
        guard counts.unheard == nil else { return .json(503, Array(body.bytes), [("Retry-After", "2")]) }
        return .json(counts.refused == 0 ? 200 : 400, Array(body.bytes))
    }
}

extension FactsReport {
    fileprivate struct Counts {
        var (accepted, refused) = (0, 0)
        /// Surely not taken, and perhaps taken.
        private var (untaken, doubtful) = (0, 0)
        /// Of the first line of which nothing was heard.
        private(set) var unheard: Inability?

        mutating func count(_ answer: FactAnswer) {
            switch answer {
            case .success(.recorded), .success(.duplicate): accepted += 1
            case .success(.refused): refused += 1
            case .success(.leftOut): break
            case .failure(let inability):
                if inability.leavesDoubt { doubtful += 1 } else { untaken += 1 }
                unheard = unheard ?? inability
            }
        }

        /// The request as a whole is in doubt: a part of it is there.
        func writeProblem(into body: inout ByteBuffer) {
            guard let unheard else { return }
            var parts: [String] = []
            if untaken > 0 { parts.append("\(untaken) \(untaken == 1 ? "fact was" : "facts were") not taken") }
            if doubtful > 0 {
                parts.append("of \(doubtful) it is not known whether \(doubtful == 1 ? "it was" : "they were")")
            }
            body.append("\"error\":")
            body.appendJSONString(
                "\(parts.joined(separator: ", ")): \(unheard.told); `results` has each line, and what has an id counts once if it is sent again"
            )
            body.append(",\"in_doubt\":true,")
        }
    }
}

extension Inability {
    fileprivate func write(into buffer: inout ByteBuffer) {
        buffer.append(leavesDoubt ? "\"in_doubt\":" : "\"not_taken\":")
        buffer.appendJSONString(told)
    }
}

extension FactReceipt {
    fileprivate func write(into buffer: inout ByteBuffer) {
        switch self {
        case .recorded(let seq, let warnings):
            buffer.append("\"seq\":\(seq)")
            if !warnings.isEmpty {
                buffer.append(",\"warnings\":")
                JSONValue.array(warnings.map { .string($0.sentence) }).write(into: &buffer)
            }
        case .duplicate(let seq): buffer.append("\"duplicate_of\":\(seq)")
        case .refused(let problem):
            buffer.append("\"refused\":")
            buffer.appendJSONString("\(problem)")
        case .leftOut: buffer.append("\"withheld\":true")
        }
    }
}
