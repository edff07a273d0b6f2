/// Everything that may be asked. A family of routes has a file, and a service, of its own.
struct RouteTable: Sendable {
    static let all = RouteTable(
        HealthRoutes.all + SessionRoutes.all + PersonTokenRoutes.all + OrderRoutes.all + QuestionRoutes.all
            + PersonRoutes.all + SightRoutes.all + StreamRoutes.all + NumberRoutes.all + PolicyRoutes.all
            + PageRoutes.all + ClusterRoutes.all)

    let routes: [Route]
    /// By how many segments a path has. Words come before places for names: `/v1/policy/check` is no name of a policy.
    private let bySegments: [[Route]]
    private let takingRest: [Route]

    init(_ routes: [Route]) {
        self.routes = routes
        let sorted = routes.filter { !$0.path.takesRest }.enumerated().sorted { left, right in
            (left.element.path.variables.count, left.offset) < (right.element.path.variables.count, right.offset)
        }.map(\.element)
        let most = sorted.map(\.path.pieces.count).max() ?? 0
        bySegments = (0...most).map { count in sorted.filter { $0.path.pieces.count == count } }
        takingRest = routes.filter(\.path.takesRest)
    }

    typealias Found = (route: Route, places: [PathVariable: String])

    func find(_ method: String, _ segments: [String], path: String) throws(RouteProblem) -> Found {
        // HEAD is GET without the body, which the server leaves out.
        let wanted = method == "HEAD" ? "GET" : method
        var template: PathTemplate?
        var methods: [Route.Method] = []
        let fixed = segments.count < bySegments.count ? bySegments[segments.count] : []
        for route in [fixed, takingRest].joined() where template == nil || route.path == template {
            guard let places = route.path.match(segments) else { continue }
            if route.method.rawValue == wanted { return (route, places) }
            template = route.path
            methods.append(route.method)
        }
        guard !methods.isEmpty else { throw .notFound(path: path) }
        throw .wrongMethod(method, allowed: Self.allowed(methods))
    }

    private static func allowed(_ methods: [Route.Method]) -> String {
        Route.Method.allCases.filter(methods.contains).map { $0 == .get ? "GET, HEAD" : $0.rawValue }
            .joined(separator: ", ")
    }
}
