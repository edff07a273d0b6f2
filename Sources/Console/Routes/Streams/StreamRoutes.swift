/// The feed and the log as they grow (`V4`, `V5`).
enum StreamRoutes {
    static let all: [Route] = []
}
