internal import CivilTime

/// What one kind of a policy says that does nothing, or keeps everybody from hearing of it.
struct KindDoubts {
    let policy: Policy
    /// The preferences of whoever changes none.
    let everybodys: Preferences
    let place: Int

    private var kind: KindRule { policy.kinds[place] }

    /// With paths from the kind on.
    var found: [FieldError] {
        (kind.isLocked ? [] : silentInTheNight + silentOnItsChannels) + waitsForNothing + passedAnyway + blankLabels
            + raisedAlready + emptyPlaces
    }

    // MARK: Nobody hears of it as long as they change nothing

    private var silentInTheNight: [FieldError] {
        guard kind.inQuietHours == .drop, kind.priority.rawValue < policy.quietPass.rawValue,
            !everybodys.quietExceptions[place], let (at, days) = time, let quiet = everybodys.quietHours,
            days.allSatisfy({ quiet.covers(at, on: $0) })
        else { return [] }
        return [
            FieldError(
                path: "in_quiet_hours",
                "is drop, and the kind comes at \(at), in the quiet hours that everybody begins with "
                    + "(\(quiet.start)–\(quiet.end)): whoever changes nothing never has it")
        ]
    }

    /// When it comes, and on which days it may, where that is the same for everybody who chose no other.
    private var time: (at: LocalTime, days: [Weekday])? {
        switch kind.schedule {
        case .checkIn: (everybodys.checkInTime, everybodys.checkInDays.weekdays)
        case .daily(let at), .missedCheckIn(let at): (at, Weekday.allCases)
        case .weekly(let day, let at): (at, [day])
        case .goal(let at): (everybodys.reminderTime ?? at, Weekday.allCases)
        case .deadline, .overdue, .session, .travel, .message, .overload, nil: nil
        }
    }

    private var silentOnItsChannels: [FieldError] {
        let channels = everybodys.kinds[place].channels
        guard kind.isOnByDefault, !kind.isToldInDigest, channels.isDisjoint(with: everybodys.channels) else {
            return []
        }
        let names = channels.list.map(\.name).joined(separator: ", ")
        return [
            FieldError(
                path: "channels",
                "\(names): off for whoever has not switched \(channels.list.count == 1 ? "it" : "one") on "
                    + "(preferences.channels), so nobody has the kind at first")
        ]
    }

    // MARK: What it says does nothing

    private var waitsForNothing: [FieldError] {
        let why: String? =
            switch kind.schedule {
            case .overload: policy.dailyCap == nil ? nil : "overload comes only where daily_cap is null (P12)"
            case .missedCheckIn:
                policy.kinds.contains { $0.schedule?.isOfGoals ?? false }
                    ? nil
                    : #"missed_check_in comes after a goal's reminder, and no kind has the schedule {"on":"goal"}"#
            case .checkIn, .daily, .weekly, .goal, .deadline, .overdue, .session, .travel, .message, nil: nil
            }
        return why.map { [FieldError(path: "schedule.on", $0)] } ?? []
    }

    /// What is asked only of kinds that can be stopped.
    private var passedAnyway: [FieldError] {
        var found: [FieldError] = []
        if kind.isLocked {
            if !kind.isOnByDefault {
                found.append(
                    FieldError(path: "enabled", "false says nothing: a locked kind is on for everybody (P14)"))
            }
            for (place, part) in kind.subtypes.enumerated() where part.isLocked && !part.isOnByDefault {
                found.append(
                    FieldError(
                        path: "subtypes[\(place)].enabled",
                        "false says nothing: the part is locked with its kind (P14)"))
            }
        }
        guard kind.isLocked || kind.priority == .critical else { return found }
        let why = "says nothing: a \(kind.isLocked ? "locked" : "critical") kind waits for no digest (P14)"
        if kind.isDigestible { found.append(FieldError(path: "digestible", why)) }
        if kind.digests != [.none] { found.append(FieldError(path: "digests", why)) }
        return found
    }

    /// `C7`: of a kind one notice a fact.
    private var raisedAlready: [FieldError] {
        kind.raisedBy.enumerated().compactMap { place, raised in
            guard let earlier = kind.raisedBy[..<place].firstIndex(where: { $0.cause.covers(raised.cause) }) else {
                return nil
            }
            return FieldError(
                path: "raised_by[\(place)]",
                "raises nothing: raised_by[\(earlier)] does at the same facts, and a fact raises one notice of a kind")
        }
    }

    // MARK: Words

    private var blankLabels: [FieldError] {
        let parts = kind.subtypes.enumerated().map { ("subtypes[\($0)].label", $1.label.text) }
        return ([("label", kind.label.text)] + parts).filter { Plain.isBlank($0.1) }.map {
            FieldError(path: $0.0, "is blank; people would see nothing")
        }
    }

    /// Places for values that the kind never has.
    private var emptyPlaces: [FieldError] {
        let choices = policy.choices.map(\.name.text)
        return kind.texts.flatMap { path, text in
            let places = (try? Copy.placeholders(in: text, choices: choices)) ?? []
            let empty = Set(places.compactMap { Phrase.Place(rawValue: $0.name) }).subtracting(filled(at: path))
            return Phrase.Place.allCases.filter(empty.contains).map {
                FieldError(path: path, "{\($0.rawValue)} is always \($0.isCounting ? "0" : "empty") there")
            }
        }
    }

    private func filled(at path: String) -> Set<Phrase.Place> {
        var known: Set<Phrase.Place> = [.count, .name]
        switch kind.digest {
        case .daily?:
            known.formUnion([.points, .items, .day, .days, .by_subject])
            if path == "copy.earlier" { known.formUnion([.earlier, .since]) }
        case .weekly?: known.formUnion([.points, .items, .sessions, .check_ins, .goals])
        case nil: break
        }
        if kind.isBundling || kind.schedule == .overload { known.insert(.items) }
        let isRaised = !kind.raisedBy.isEmpty
        if isRaised { known.insert(.points) }
        if kind.isOnRequest || isRaised || kind.schedule?.isAboutGoals ?? false {
            known.formUnion([.title, .left, .subject])
        }
        if kind.schedule == .message { known.insert(.subject) }
        if kind.isOnRequest || kind.schedule == .message { known.insert(.text) }
        return known
    }
}

extension RaisedBy.Cause {
    /// Whether every fact of the other is one of these.
    fileprivate func covers(_ other: RaisedBy.Cause) -> Bool {
        switch self {
        case .goalStarted, .goalOverdue, .goalEnded(.some): return self == other
        case .goalEnded(nil): if case .goalEnded = other { return true }
        case .streak(let steps): if case .streak(let others) = other { return Set(others).isSubset(of: steps) }
        case .points(let totals): if case .points(let others) = other { return Set(others).isSubset(of: totals) }
        }
        return false
    }
}

extension Schedule {
    fileprivate var isOfGoals: Bool { if case .goal = self { true } else { false } }

    fileprivate var isAboutGoals: Bool {
        switch self {
        case .goal, .deadline, .overdue, .missedCheckIn: true
        case .checkIn, .daily, .weekly, .session, .travel, .message, .overload: false
        }
    }
}
