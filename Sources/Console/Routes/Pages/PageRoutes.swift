/// The console and the settings page (`V1`, `V3`).
enum PageRoutes {
    static let all: [Route] = []
}
