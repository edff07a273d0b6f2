///  what somebody may ask and say of themselves (`V2`).
enum PersonRoutes {
    static let all: [Route] = []
}
