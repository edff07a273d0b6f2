internal import CivilTime

/// What a policy says that may be adopted and does nothing, or keeps everybody from hearing of a kind: told to whoever wrote it,
/// who may have meant it so.
extension Policy {
    public var doubts: [FieldError] {
        let everybodys = Rulebook(self).preferences(differing: .emptyObject, saidYes: true)
        var found: [FieldError] = []
        if !everybodys.isEnabled, !isSmart {
            found.append(
                FieldError(
                    path: "preferences.enabled",
                    "is false: nobody is told anything before they switch it on, but by locked kinds"))
        }
        if dailyCap != nil, overload != OverloadRule() {
            found.append(FieldError(path: "overload", "is asked only where daily_cap is null (P12)"))
        }
        for place in kinds.indices {
            found += KindDoubts(policy: self, everybodys: everybodys, place: place).found.map {
                $0.under("kinds[\(place)]")
            }
        }
        return found
    }
}
