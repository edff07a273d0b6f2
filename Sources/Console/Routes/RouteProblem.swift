internal import Notices

/// Why a request is no question to the service.
enum RouteProblem: Error, Equatable {
    /// No token, or one that is not valid here: nobody is told which, nor why.
    case unauthorized
    case forbidden(String)
    /// A person's token that is valid as far as it is known here, where another worker may have revoked it.
    case notUpToDate
    /// What may be a person's token, shown before the log is known that it would be of.
    case replaying
    /// Asked by a name that is none of this worker's.
    case misdirected
    case badTarget(String)
    /// Without a path nobody is told what else there might be.
    case notFound(path: String?)
    case wrongMethod(String, allowed: String)
    case unsupportedType(given: String, accepted: String)
    case badParameter(FieldError)
    case badBody(Refusal)
    case tooLarge(String)

    /// Whether it is not known now who asks, and is soon.
    var isOfUnjudgedToken: Bool { self == .notUpToDate || self == .replaying }

    var response: HTTPResponse {
        switch self {
        case .unauthorized:
            .error(
                .unauthorized, "this token is not valid here; send one that is as `Authorization: Bearer TOKEN`",
                [("WWW-Authenticate", "Bearer")])
        case .forbidden(let problem): .error(.forbidden, problem)
        case .notUpToDate:
            .notNow("it is not known here at the moment which tokens the other workers revoked; try again")
        case .replaying: Inability.replaying.response(toOrder: false)
        case .misdirected:
            .error(.misdirected, "this address is not asked by that name; `belfry run --host NAME` allows one more")
        case .badTarget(let problem): .error(.badRequest, problem)
        case .notFound(let path): .error(.notFound, "there is nothing at \(path.map { quoted($0) } ?? "this address")")
        case .wrongMethod(let method, let allowed):
            .error(.wrongMethod, "\(quoted(method)) is not done here; \(allowed) is", [("Allow", allowed)])
        case .unsupportedType(let given, let accepted):
            .error(
                .unsupportedType, "the content type is \(given); it must be \(accepted)", [("Accept-Post", accepted)])
        case .badParameter(let error): .error(.badRequest, "\(error)")
        case .badBody(let refusal): .error(.badRequest, "\(refusal)")
        case .tooLarge(let problem): .error(.tooLarge, problem)
        }
    }
}
