internal import CivilTime

// What another worker of a cluster has revoked.
extension RevokedTokens {
    /// What another worker is told of it. How many people were erased each counts for itself, by those whom it was told of.
    var forOthers: RevokedTokens {
        var told = self
        (told.erased, told.namesErased) = ([:], false)
        return told
    }

    /// What is to be revoked for this to hold all that another worker has revoked, too; nothing where it does.
    func learning(_ other: RevokedTokens) -> [Word] {
        var words: [Word] = []
        // Each ends what a word behind it is about, and what is later than it is said again.
        var known = self
        func say(_ word: Word) {
            words.append(word)
            known.take([word])
        }
        if let end = later(everybody, other.everybody), end != everybody { say(.everybody(end)) }
        let floor = known.everybody?.before ?? .distantPast
        if let end = later(unmarked, other.unmarked), end != known.unmarked, end.before > floor { say(.unmarked(end)) }
        for (mark, end) in erasedMarks.merging(other.erasedMarks, uniquingKeysWith: later)
        where end != known.erasedMarks[mark] && end.before > floor {
            say(.mark(mark, end))
        }
        for (person, end) in all.merging(other.all, uniquingKeysWith: later)
        where end != known.all[person] && end.before > floor {
            say(.all(person, end))
        }
        for (person, ids) in single.merging(other.single, uniquingKeysWith: { $0.merging($1, uniquingKeysWith: max) }) {
            let floor = max(floor, known.all[person]?.before ?? .distantPast)
            for (id, instant) in ids where instant > floor && instant != known.single[person]?[id] {
                say(.one(person: person, id: id, at: instant))
            }
        }
        return words
    }

    private func later(_ one: All, _ other: All) -> All {
        All(before: max(one.before, other.before), revokedAt: max(one.revokedAt, other.revokedAt))
    }

    private func later(_ one: All?, _ other: All?) -> All? {
        guard let one, let other else { return one ?? other }
        return later(one, other)
    }
}

extension PersonTokenDesk {
    /// Revokes what another worker has revoked, and says what is revoked here. Only for threads that may wait.
    ///
    /// - Parameter told: `nil` where it does not say.
    public func exchange(revokedElsewhere told: String?) -> RevokedAnswer {
        if let told, let problem = hear(revokedElsewhere: told) { return .failed(problem) }
        // In this order: what came in between is told, though it is not counted on.
        let isWhole = mayLetIn
        return .told(toldToOthers, isWhole: isWhole)
    }
}
