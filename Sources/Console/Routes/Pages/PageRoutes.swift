internal import Pages

/// The console and the settings page (`V1`, `V3`). They say nothing of anybody: whoever opens them still has to sign in.
enum PageRoutes {
    static let all: [Route] =
        views + [
            page("/me", "the settings page"), page("/assets/{rest}", "what the pages are made of"),
        ]

    /// Every view of the console has an address, and all of them are the same page.
    private static let views: [Route] = Pages.views.sorted().flatMap { view in
        (view.isEmpty ? ["/"] : ["/\(view)", "/\(view)/{rest}"]).map { page($0, "the console") }
    }

    /// What a browser shows at an address that is nobody's: the console, which says that nothing is there and has its menu.
    /// The status stays what it was. `nil` for whoever did not ask for a page, and for what is asked of the API.
    static func page(instead problem: HTTPResponse, of head: HTTPRequest) -> HTTPResponse? {
        let path = head.target.prefix { $0 != "?" }
        let isOfProgram = ["/v1/", "/assets/"].contains { path.hasPrefix($0) } || path == "/v1"
        guard ["GET", "HEAD"].contains(head.method), [401, 404].contains(problem.status), !isOfProgram,
            head.headers.all("Accept").contains(where: { $0.contains("text/html") }), let console = ServedPages.all["/"]
        else { return nil }
        var page = console.response(to: head, framedBy: [])
        page.status = problem.status
        return page
    }

    private static func page(_ path: String, _ summary: String) -> Route {
        var route = Route(atOnce: PathTemplate(stringLiteral: path), .anyone, summary, refusing: [.notFound]) {
            (service, call) throws(RouteProblem) in
            let path = String(call.request.target.prefix { $0 != "?" })
            guard let target = try? Target(call.request.target),
                let page = ServedPages.all["/" + target.segments.joined(separator: "/")]
            else { return RouteProblem.notFound(path: path).response }
            var response = page.response(to: call.request, framedBy: service.access?.keeper.origins.all ?? [])
            // Whoever is not signed in would be refused.
            if page.isConsole {
                response.headers.append("Vary", "Cookie")
                if call.operator != nil { response.headers.append("Link", FirstView(of: target).link) }
            }
            return response
        }
        route.takesAnyQuery = true
        return route
    }
}
