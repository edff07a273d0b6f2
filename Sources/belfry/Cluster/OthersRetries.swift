import CivilTime
import Console
import Delivery
import Dispatch
import Notices
import Synchronization

/// What other workers made of the wish to send something once more.
final class OthersRetries: Sendable {
    private let answers: Mutex<(left: Int, all: [RetryAnswer])>
    private let isOver = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        answers = Mutex((count, []))
        if count == 0 { isOver.signal() }
    }

    func hear(_ answer: RetryAnswer) {
        let isLast = answers.withLock { answers in
            answers.all.append(answer)
            answers.left -= 1
            return answers.left == 0
        }
        if isLast { isOver.signal() }
    }

    func wait() -> [RetryAnswer] {
        isOver.wait()
        return answers.withLock { $0.all }
    }
}

extension RetryOrder {
    /// As the API is asked it.
    var document: JSONValue {
        switch self {
        case .job(let name): .object([.init("job", .string(name))])
        case .user(let user): .object([.init("user", .string(user))])
        case .failedSince(let instant): .object([.init("failed_since", .string("\(instant)"))])
        }
    }
}

extension RetryAnswer {
    init(_ answer: HTTPAnswer, from url: String) {
        switch answer.status {
        case 200: self = .done(answer.retryReport)
        case 404: self = .unknown(answer.problem)
        default: self = .unable(.unanswered("the worker at \(url): \(answer.problem)"))
        }
    }
}

extension HTTPAnswer {
    var retryReport: RetryReport {
        let document = JSONValue(parsing: text)
        return RetryReport(
            document?["jobs"]?.elements?.compactMap(RetriedJob.init) ?? [],
            counts: (document?["retried"]?.integer ?? 0, document?["refused"]?.integer ?? 0))
    }
}

extension RetriedJob {
    fileprivate init?(_ document: JSONValue) {
        guard let job = document["job"]?.string else { return nil }
        if let seq = document["seq"]?.natural {
            self.init(job: job, outcome: .asked(seq: seq))
        } else if let problem = document["refused"]?.string {
            self.init(job: job, outcome: .refused(problem))
        } else {
            return nil
        }
    }
}

extension Fact {
    /// As its sender would write it.
    var line: [UInt8] {
        var line = ByteBuffer()
        line.append("{\"type\":\"\(payload.type.text)\"")
        for (key, text) in [("user", user), ("id", id)] {
            guard let text else { continue }
            line.append(",\"\(key)\":")
            line.appendJSONString(text)
        }
        line.append(",\"data\":")
        payload.writeJSON(into: &line)
        line.append("}")
        return Array(line.bytes)
    }
}
