internal import Notices

/// Why a request is no question to the service.
enum RouteProblem: Error, Equatable {
    case badTarget(String)
    case notFound(path: String)
    case wrongMethod(String, allowed: String)
    case unsupportedType(given: String, accepted: String)
    case badParameter(FieldError)
    case badBody(Refusal)
    case tooLarge(String)

    var response: HTTPResponse {
        switch self {
        case .badTarget(let problem): .error(400, problem)
        case .notFound(let path): .error(404, "there is nothing at \(quoted(path))")
        case .wrongMethod(let method, let allowed):
            .error(405, "\(quoted(method)) is not done here; \(allowed) is", [("Allow", allowed)])
        case .unsupportedType(let given, let accepted):
            .error(415, "the content type is \(given); it must be \(accepted)", [("Accept-Post", accepted)])
        case .badParameter(let error): .error(400, "\(error)")
        case .badBody(let refusal): .error(400, "\(refusal)")
        case .tooLarge(let problem): .error(413, problem)
        }
    }
}

extension Inability {
    /// - Parameter isOrder: whether something was to be done, of which after a failure nobody knows whether it was.
    func response(toOrder isOrder: Bool) -> HTTPResponse {
        switch self {
        case .busy: .notNow("the worker is busy; try again")
        case .manyQuestions: .notNow("too many questions wait to be answered; try again", retryAfterSeconds: 2)
        case .abandoned: .notNow("nobody waited for the answer; ask again")
        case .replaying: .notNow("the worker is still replaying its log; try again")
        case .stopping: .notNow("the worker is stopping; try again", retryAfterSeconds: 5)
        case .failed(let problem): .error(500, problem, isInDoubt: isOrder)
        }
    }
}
