public import Notices

/// "All or nothing" is one commit.
extension Fact {
    /// Why that cannot be had of this fact in a request of so many; `nil` where it can.
    ///
    /// A fact about everybody has commits of its own, so that a power cut could part it from the others. A run of everybody is itself
    /// recorded in pieces.
    public func partingProblem(amongFacts count: Int) -> FieldError? {
        guard isAboutEverybody else { return nil }
        if case .runRequested = payload {
            return FieldError(
                path: "type",
                "a run of everybody is recorded in pieces: it is not taken as all or nothing, not even by itself")
        }
        guard count > 1 else { return nil }
        return FieldError(
            path: "type",
            "a fact about everybody is not taken with others as all or nothing; send it in a request of its own")
    }
}
