/// Why the worker did not do what it was asked.
public enum Inability: Error, Sendable, Equatable {
    /// Its queue is full: try again.
    case busy
    /// As many questions wait as may: try again.
    case manyQuestions
    /// Nobody waits for the answer any more.
    case abandoned
    /// It has not yet read its log: try again.
    case replaying
    /// The log's figures are still being counted; so far, from 0 to 1: try again.
    case counting(Double)
    case stopping
    /// Nobody owns this partition at the moment (`M3`): try again.
    case noOwner(Int)
    /// Another worker that has a part of what was asked for did not give it: try again.
    case unanswered(String)
    /// Another worker was to do it and was not heard of again.
    case inDoubt(String)
    /// It can do nothing any more, or not this (`G4`).
    case failed(String)
    /// It could not do this, and has done nothing of it.
    case undone(String)
}

extension Inability {
    /// - Parameter isOrder: whether something was to be done, of which after a failure nobody knows whether it was.
    func response(toOrder isOrder: Bool) -> HTTPResponse {
        switch self {
        case .busy, .abandoned, .replaying: .notNow(told)
        case .manyQuestions, .unanswered: .notNow(told, retryAfterSeconds: 2)
        case .counting, .stopping: .notNow(told, retryAfterSeconds: 5)
        case .noOwner: .error(.notNow, told, [("Retry-After", "1"), (PassedOn.notHere, "1")])
        case .inDoubt: isOrder ? .inDoubt(told, retryAfterSeconds: 2) : .notNow(told)
        case .failed: .error(.failed, told, isInDoubt: isOrder)
        case .undone: .error(.failed, told)
        }
    }

    /// Whether what was to be done may have been done all the same.
    public var leavesDoubt: Bool {
        switch self {
        case .inDoubt, .failed: true
        case .busy, .manyQuestions, .abandoned, .replaying, .counting, .stopping, .noOwner, .unanswered, .undone: false
        }
    }

    var told: String {
        switch self {
        case .busy: "the worker is busy; try again"
        case .manyQuestions: "too many questions wait to be answered; try again"
        case .abandoned: "nobody waited for the answer; ask again"
        case .replaying: "the worker is still replaying its log; try again"
        case .counting(let share): "the log is still being counted (\(Int(share * 100)) %); try again"
        case .stopping: "the worker is stopping; try again"
        case .noOwner(let partition):
            partition < 0
                ? "nobody owns the log of everyone at the moment; try again"
                : "nobody owns partition \(partition) at the moment; try again"
        case .unanswered(let problem): problem.hasSuffix("try again") ? problem : "\(problem); try again"
        case .inDoubt(let problem), .failed(let problem), .undone(let problem): problem
        }
    }
}
