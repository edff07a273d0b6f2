/// The way a request came in. It decides how the asker is found out.
public enum Door: Sendable {
    /// The worker's own socket: whoever may open it is its owner.
    case socket
    /// A port: whoever comes by it has to show who they are.
    case port(Doorkeeper)

    func access(of head: HTTPRequest) throws(RouteProblem) -> Access {
        guard case .port(let keeper) = self else { return .operator(.owner) }
        guard keeper.hosts.know(head) else { throw .misdirected }
        let access = try keeper.access(of: head)
        // A cookie was there, and it was a page elsewhere that had it sent.
        if access == .stranger, !head.isSafe, head.headers["Authorization"] == nil,
            SessionCookie.value(in: head) != nil, !head.isOfOwnSite
        {
            throw .forbidden("what changes something has to come from a page of this address")
        }
        return access
    }

    /// The origin of the page that asks, if it is another than this address and may ask; `nil` for whoever comes from
    /// nowhere else.
    ///
    /// - Parameter route: what is asked for; `nil` for what there is not.
    func otherOrigin(of head: HTTPRequest, _ route: Route?) throws(RouteProblem) -> String? {
        guard case .port(let keeper) = self, let origin = head.headers["Origin"], !head.isOwn(origin) else {
            return nil
        }
        guard route?.isOpenToOrigins == true, keeper.origins.hold(origin) else {
            throw .forbidden("pages of this origin may not ask here")
        }
        return origin
    }
}

extension Route {
    /// Whether pages of the configured origins may ask for it: only with a person's own token does it say anything.
    var isOpenToOrigins: Bool {
        switch need {
        case .person, .themselves: true
        case .anyone, .anyoneKnown, .operators: false
        }
    }
}
