internal import CivilTime

/// What a comparison of jobs has come to, of some people. Of others it is added to: no two shares of a log have anybody in common.
struct ComparedJobs: Sendable {
    struct Kind: Sendable {
        var tally = JobTally()
        /// By how much each was moved; positive for what came later.
        var moves: [Int64] = []
    }

    var kinds: [String: Kind] = [:]
    var affected: [WhatIfReport.Affected] = []
    /// The most jobs that anybody had in one week, as recorded and as decided.
    var highest = [0, 0]
    var examples = ChangedJobs()

    mutating func add(_ other: ComparedJobs) {
        for (name, kind) in other.kinds {
            kinds[name, default: Kind()].tally = kinds[name, default: Kind()].tally + kind.tally
            kinds[name, default: Kind()].moves += kind.moves
        }
        affected += other.affected
        for side in highest.indices { highest[side] = max(highest[side], other.highest[side]) }
        examples.add(other.examples)
    }

    func report(_ circumstances: WhatIfReport.Circumstances) -> WhatIfReport {
        let kinds = kinds.map { name, kind in
            WhatIfReport.Kind(name: name, tally: kind.tally, moves: WhatIfReport.Moves(kind.moves))
        }
        return WhatIfReport(
            circumstances, kinds: kinds.sorted { ($1.tally.size, $0.name) < ($0.tally.size, $1.name) },
            affected: affected.sorted { $0.comesBefore($1) },
            moves: WhatIfReport.Moves(self.kinds.values.flatMap(\.moves)), highest: highest, examples: examples.some)
    }
}

extension WhatIfReport.Affected {
    /// Erased people of several logs may be called alike: they come in an order all the same.
    fileprivate func comesBefore(_ other: Self) -> Bool {
        let (one, two) = (tally, other.tally)
        if one.changed != two.changed || user != other.user { return (two.changed, user) < (one.changed, other.user) }
        return (two.recorded, two.decided, two.gained, two.lost) < (one.recorded, one.decided, one.gained, one.lost)
    }
}
