/// What a request's head decides: whether it is let in, and how its body is collected.
struct Gate {
    /// `nil` for a request that is let in.
    let refusal: HTTPResponse?
    let collector: BodyCollector
    /// Whether it counts for the standing of the connection that it was let in.
    let earnsStanding: Bool

    /// - Parameter head: in which it is noted who asks.
    init(_ head: inout RequestHead, _ reception: Reception) {
        let answer = reception.isStopping ? Self.stopping : reception.handler.atOnce(&head.request)
        let bytesTaken = max(reception.limits.bodyBytesMax, head.request.bodyBytesOfWorkers ?? 0)
        let bytesMax = min(bytesTaken, head.request.bodyBytesMax ?? .max)
        let coding = head.request.headers.all("Content-Encoding").joined(separator: ",").withoutBlanksAround
        let isGzip = coding.isSameIgnoringCase("gzip") || coding.isSameIgnoringCase("x-gzip")
        collector = BodyCollector(bytesMax: bytesMax, isGzip: isGzip)
        if let answer {
            refusal = answer
        } else if !isGzip, !coding.isEmpty, !coding.isSameIgnoringCase("identity") {
            refusal = .error(.unsupportedType, "the content coding may be gzip, or none", [("Accept-Encoding", "gzip")])
        } else if let announced = head.announced, announced > bytesMax {
            refusal = BodyCollector.Problem.tooLarge(bytesMax: bytesMax).response
        } else {
            refusal = nil
        }
        earnsStanding = refusal == nil && head.request.earnsStanding
    }

    static let stopping = HTTPResponse.notNow("the worker is stopping; try again", retryAfterSeconds: 5)
}
