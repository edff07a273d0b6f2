import Journal
import Notices

/// One of many who append at once, each waiting for its own facts.
struct Client {
    let number: Int
    let orders: Orders
    let commits: GroupCommit
    /// Now and then a fact is large, so that a kill finds writes that take long.
    private static let largeEvery = 40

    func run() {
        var count = 0
        while goesOn(after: count) {
            let id = "\(orders.name).\(number).\(count)"
            let entry = Entry(user: "client\(number)", id: id, payload: payload(count))
            do {
                _ = try commits.append([entry], bytes: 256)
            } catch {
                Storm.end(5, "\(error)")
            }
            Storm.write(id + "\n", to: 1)
            count += 1
        }
    }

    private func goesOn(after count: Int) -> Bool {
        switch orders.amount {
        case .facts(let facts): count < facts
        case .until(let end): Storm.now < end
        }
    }

    private func payload(_ count: Int) -> Payload {
        guard count % Self.largeEvery == number else {
            var points = PointsEarned()
            points.points = count + 1
            return .pointsEarned(points)
        }
        var request = NoticeRequested()
        request.kind = Identifier("reminder")
        for part in 0..<8 { request.data["part\(part)"] = Text(String(repeating: "x", count: 4000)) }
        return .noticeRequested(request)
    }
}
