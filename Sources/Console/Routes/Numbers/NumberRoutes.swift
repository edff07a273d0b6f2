/// What is counted (`V6`, `V7`).
enum NumberRoutes {
    static let all: [Route] = []
}
