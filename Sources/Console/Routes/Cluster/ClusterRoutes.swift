internal import Notices

/// What the workers of a cluster ask each other.
public struct ClusterService: Sendable {
    /// Copies what is about everyone into every partition that is here, up to this fact, and says whether they all hold it.
    public var catchUp: @Sendable (_ through: UInt64, @escaping @Sendable (Bool) -> Void) -> Void

    public init(catchUp: @escaping @Sendable (UInt64, @escaping @Sendable (Bool) -> Void) -> Void) {
        self.catchUp = catchUp
    }
}

enum ClusterRoutes {
    static let all: [Route] = [
        Route(
            .post, "/v1/cluster/everyone", .operators(.admin),
            "copy what is about everyone, for the worker that records it",
            body: .order, of: \.cluster
        ) { (service, call, reply) throws(RouteProblem) in
            var through: UInt64?
            try OrderBody.read(call.request.body) { (key, node) throws(FieldError) in
                guard key == "through", let number = node.integer, number >= 0 else {
                    throw FieldError(path: quoted(key), "is not the number of an event, through")
                }
                through = UInt64(number)
            }
            guard let through else { throw .badBody(.field(FieldError(path: "through", "is missing"))) }
            service.catchUp(through) { isDone in
                reply(
                    isDone
                        ? .json(200, .object([.init("through", .number("\(through)"))]))
                        : .notNow("a partition does not hold it yet; try again"))
            }
        }
    ]
}
