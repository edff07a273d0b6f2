internal import Notices

/// The public door (`N3`, `N6`): what the whole internet may ask, and nothing else. Whatever is believed here is signed.
///
/// `POST /v1/providers/{name}` takes reports. `/u/TOKEN` stops mails: a GET never does, since mail scanners follow links; it
/// shows a page with a button.
public struct PublicRouter: Sendable {
    private enum Route: Equatable {
        case report(provider: String)
        case stopPage(token: String)
        case stop(token: String)

        init(_ head: HTTPRequest) throws(RouteProblem) {
            let segments: [String]
            do { segments = try Target(head.target).segments } catch { throw .badTarget(error.text) }
            if segments.count == 3, segments[0] == "v1", segments[1] == "providers" {
                guard head.method == "POST" else { throw .wrongMethod(head.method, allowed: "POST") }
                self = .report(provider: segments[2])
            } else if segments.count == 2, segments[0] == "u" {
                switch head.method {
                case "GET", "HEAD": self = .stopPage(token: segments[1])
                case "POST": self = .stop(token: segments[1])
                default: throw .wrongMethod(head.method, allowed: "GET, HEAD, POST")
                }
            } else {
                // Nobody is told what else there might be.
                throw .notFound(path: nil)
            }
        }
    }

    private let service: PublicService

    public init(_ service: PublicService) { self.service = service }

    public var handler: HTTPHandler { HTTPHandler(atOnce: { head in atOnce(head) }, answer: answer) }

    @Sendable private func atOnce(_ head: HTTPRequest) -> HTTPResponse? {
        do throws(RouteProblem) {
            switch try Route(head) {
            case .stopPage(let token): return stopPage(token)
            case .stop(let token): return service.offer(token) == nil ? StopPage.unknown : nil
            case .report(let provider):
                return service.takesReports(provider) ? nil : PublicService.Hearing.unknownProvider.response
            }
        } catch {
            return error.response
        }
    }

    @Sendable private func answer(_ request: HTTPRequest, _ asker: Asker, _ reply: @escaping HTTPHandler.Reply) {
        do throws(RouteProblem) {
            switch try Route(request) {
            case .stopPage(let token): reply(stopPage(token))
            case .stop(let token): stop(token, request, reply)
            case .report(let provider): service.hear(provider, request) { reply($0.response) }
            }
        } catch {
            reply(error.response)
        }
    }

    private func stopPage(_ token: String) -> HTTPResponse {
        service.offer(token).map { StopPage.question($0) } ?? StopPage.unknown
    }

    private func stop(_ token: String, _ request: HTTPRequest, _ reply: @escaping HTTPHandler.Reply) {
        guard let offer = service.offer(token) else { return reply(StopPage.unknown) }
        let body = String(decoding: request.body.prefix(4096), as: UTF8.self)
        // RFC 8058: the body is this one pair, whichever way the form was encoded.
        let isOneClick = body.contains("One-Click")
        let wish: PublicService.StopWish = isOneClick ? .oneClick : body == StopPage.all ? .allEmail : .asOffered
        service.stop(token, wish) { stopping in
            switch stopping {
            case .stopped: reply(StopPage.done(wish == .allEmail ? PublicService.StopOffer(kind: nil) : offer))
            case .tooOld: reply(StopPage.tooOld)
            case .unable(let inability): reply(inability.response(toOrder: true))
            }
        }
    }
}

extension PublicService.Hearing {
    fileprivate var response: HTTPResponse {
        switch self {
        // Without a word: what is answered to a person's text could be sent to them as one.
        case .taken: HTTPResponse(status: 200)
        case .unknownProvider: .error(.notFound, "no reports of this provider are taken here")
        case .refused(let problem): .error(.forbidden, problem)
        case .wrong(let problem): .error(.badRequest, problem)
        case .unable(let inability): inability.response(toOrder: true)
        }
    }
}
