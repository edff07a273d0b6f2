public import Notices

/// A run of everybody in the log: one fact a person, and behind them one about nobody, which ends it.
extension RunOrder {
    /// What there is to raise for everybody, if that is what this fact asks for.
    public init?(forEverybodyBy fact: Fact) {
        guard fact.user == nil, case .runRequested(let request) = fact.payload, let kind = request.kind else {
            return nil
        }
        self.init(kind: kind.text, isForced: request.force == true)
    }
}

extension Fact {
    /// The fact that ends the run which this one asks for. It has the id, so the log has the id once all of the run is there, and
    /// is asked for the rest where a power cut left a part.
    ///
    /// It is about nobody: no person's key seals the id, and it outlives all of them (`E1`). Without a kind it brings nothing itself.
    public var endOfRun: Fact {
        var end = self
        end.payload = .runRequested(RunRequested())
        return end
    }
}
