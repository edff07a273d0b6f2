/// What the console shows of now, a day and what is to come (`V1`).
enum SightRoutes {
    static let all: [Route] = []
}
