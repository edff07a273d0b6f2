/// The policy in force, and others held against it (`V1`).
enum PolicyRoutes {
    static let all: [Route] = []
}
