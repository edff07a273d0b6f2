internal import Notices

/// Why a request is no question to the service.
enum RouteProblem: Error, Equatable {
    /// No token, or one that is not valid here: nobody is told which, nor why.
    case unauthorized
    case forbidden(String)
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

    var response: HTTPResponse {
        switch self {
        case .unauthorized:
            .error(
                401, "this token is not valid here; send one that is as `Authorization: Bearer TOKEN`",
                [("WWW-Authenticate", "Bearer")])
        case .forbidden(let problem): .error(403, problem)
        case .misdirected:
            .error(421, "this address is not asked by that name; `belfry run --host NAME` allows one more")
        case .badTarget(let problem): .error(400, problem)
        case .notFound(let path): .error(404, "there is nothing at \(path.map { quoted($0) } ?? "this address")")
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
