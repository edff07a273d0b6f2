/// How a request for a route can be refused, status by status: by the door, by what the route wants of a request, and by what
/// answers it.
extension Route {
    /// Every request may be malformed, come from a page of another origin or by another host's name, and come at a bad time.
    private static let ofEveryRequest: Set<RefusalStatus> = [.badRequest, .forbidden, .misdirected, .notNow]

    /// In the order of their numbers.
    var refusals: [RefusalStatus] {
        var all = Self.ofEveryRequest.union(ownRefusals)
        switch need {
        case .anyone: break
        case .anyoneKnown, .operators, .person, .themselves: all.insert(.unauthorized)
        }
        switch body {
        case .none: break
        case .order, .patch, .facts, .cloudEvents: all.formUnion([.tooSlow, .tooLarge, .unsupportedType])
        }
        return all.sorted()
    }

    /// An answer of this worker's on its way to whoever asked. One that the description of the API does not have would be a mistake of
    /// ours. What another worker answered may be of another version, or of something between the two.
    func checked(_ response: HTTPResponse) -> HTTPResponse {
        assert(
            response.status < 400 || refusals.contains { $0.rawValue == response.status },
            "\(method.rawValue) \(path.text) does not declare that it can answer \(response.status)")
        return response
    }
}

/// Whoever answers in a service's place may be unable to: `Inability.response`.
extension Inability { static let refusals: Set<RefusalStatus> = [.failed, .notNow] }
extension Answer { static let refusals = Inability.refusals.union([.badRequest, .notFound]) }
extension RunAnswer { static let refusals = Inability.refusals.union([.badRequest]) }
extension RetryAnswer { static let refusals = Inability.refusals.union([.notFound]) }
extension TestAnswer { static let refusals = Inability.refusals.union([.badRequest, .tooMany]) }
extension EraseAnswer { static let refusals = Inability.refusals.union([.badRequest, .notFound]) }
extension PersonService.Outcome { static let refusals = Inability.refusals.union([.badRequest, .tooMany]) }
extension AnalysisTrialAnswer { static let refusals = Inability.refusals.union([.notFound, .tooMany]) }
extension WhatIfBeginning { static let refusals = Inability.refusals.union([.badRequest, .conflict]) }
extension StreamAnswer { static let refusals = Inability.refusals.union([.badRequest, .notFound, .tooMany]) }
