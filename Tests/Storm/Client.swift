import Notices
import Worker

/// One of many who tell a worker facts at once, each waiting for its own.
struct Client {
    let number: Int
    let orders: Orders
    let worker: LiveWorker
    /// Now and then a fact is large, so that a kill finds writes that take long, and asks for a notice, so that it finds
    /// decisions.
    private static let noticeEvery = 40

    func run() async {
        var count = 0
        while goesOn(after: count) {
            let id = "\(orders.name).\(number).\(count)"
            switch await told(Fact(user: "client\(number)", id: id, payload: payload(count))) {
            case .success(let receipts):
                guard receipts.count == 1, case .recorded? = receipts.first else { Storm.end(5, "\(id): \(receipts)") }
                Storm.write(id + "\n", to: 1)
            case .failure(let refusal): Storm.end(5, "\(refusal)")
            }
            count += 1
        }
    }

    private func told(_ fact: Fact) async -> Result<[FactReceipt], WorkerRefusal> {
        await withCheckedContinuation { done in
            let intake = worker.submit([fact], bytes: 256) { done.resume(returning: $0) }
            guard intake == .taken else { Storm.end(5, "\(intake)") }
        }
    }

    private func goesOn(after count: Int) -> Bool {
        switch orders.amount {
        case .facts(let facts): count < facts
        case .until(let end): Storm.now < end
        }
    }

    private func payload(_ count: Int) -> Payload {
        guard count % Self.noticeEvery == number else {
            var points = PointsEarned()
            points.points = count % 100 + 1
            return .pointsEarned(points)
        }
        var request = NoticeRequested()
        request.kind = Identifier("urgent")
        for part in 0..<8 { request.data["part\(part)"] = Text(String(repeating: "x", count: 4000)) }
        return .noticeRequested(request)
    }
}
