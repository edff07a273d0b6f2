internal import CivilTime

/// What a digest says of its own, beside what was gathered (`D1`, `D3`).
struct DigestContent {
    var points: [PointsEntry] = []
    var week = WeekActivity()

    var isEmpty: Bool { points.isEmpty && week.isEmpty }
}

extension Person {
    /// `D5`: with its kind switched off a digest says nothing of its own.
    func content(of digest: Notice, _ plan: Plan) -> DigestContent {
        var content = DigestContent()
        if digest.kind == plan.dailyDigest { content.points = ownPoints(plan) }
        if let week = digest.content?.week, preferences.kinds[digest.kind].isEnabled { content.week = week }
        return content
    }
}

/// Points as a digest tells them: those of its own day, and apart from them those that are older, or that were earned
/// while it was held (`D6`).
struct PointsByDay {
    struct Group {
        var total = 0
        /// By subject, most points first; "" for none.
        var subjects: [(subject: String, points: Int)] = []
        var firstDay: LocalDate?
        var lastDay: LocalDate?

        mutating func add(_ entry: PointsEntry) {
            total = total.addingSaturated(entry.points)
            firstDay = min(firstDay ?? entry.day, entry.day)
            lastDay = max(lastDay ?? entry.day, entry.day)
            if let place = subjects.firstIndex(where: { $0.subject == entry.subject }) {
                subjects[place].points = subjects[place].points.addingSaturated(entry.points)
            } else {
                subjects.append((entry.subject, entry.points))
            }
        }
    }

    private(set) var earlier = Group()
    private(set) var own = Group()
    private(set) var later = Group()

    init(_ entries: [PointsEntry], day: LocalDate) {
        for entry in entries {
            if entry.day < day {
                earlier.add(entry)
            } else if entry.day == day {
                own.add(entry)
            } else {
                later.add(entry)
            }
        }
    }

    var total: Int { [earlier, own, later].reduce(0) { $0.addingSaturated($1.total) } }
}

extension Details {
    /// Adds points to those of their subject and day; more subjects than anybody reads of are added up without their names.
    mutating func earn(_ earned: Int, subject: String, on day: LocalDate) {
        func place(of subject: String, _ day: LocalDate) -> Int? {
            points.firstIndex { $0.day == day && $0.subject == subject }
        }
        if let place = place(of: subject, day) {
            points[place].points = points[place].points.addingSaturated(earned)
        } else if points.count < PersonLimits.pointSubjects {
            points.append(PointsEntry(subject: subject, day: day, points: earned))
            points.sort { ($0.day, $0.subject) < ($1.day, $1.subject) }
        } else if let place = place(of: "", day) {
            points[place].points = points[place].points.addingSaturated(earned)
        } else {
            // One place a day is left for what has no name; of too many days the oldest two become one.
            makeRoomForDay()
            points.append(PointsEntry(subject: "", day: day, points: earned))
            points.sort { ($0.day, $0.subject) < ($1.day, $1.subject) }
        }
    }

    /// Adds the oldest two entries together: what is left over for so long is told in one sum (`G11`).
    private mutating func makeRoomForDay() {
        guard points.count > PersonLimits.pointSubjects + PersonLimits.pointDays else { return }
        let oldest = points.removeFirst()
        points[0].points = points[0].points.addingSaturated(oldest.points)
        points[0].day = oldest.day
        points[0].subject = ""
    }

    // MARK: Names of subjects

    private func namePlace(notBefore subject: String) -> Int {
        subjectNames.firstIndex { !$0.subject.utf8.lexicographicallyPrecedes(subject.utf8) } ?? subjectNames.count
    }

    func title(ofSubject subject: String) -> String? {
        let place = namePlace(notBefore: subject)
        guard place < subjectNames.count, subjectNames[place].subject == subject else { return nil }
        return subjectNames[place].title
    }

    /// One more than a person may have is not admitted; in a log that holds it all the same it has no name.
    mutating func name(subject: String, _ title: String) {
        let place = namePlace(notBefore: subject)
        if place < subjectNames.count, subjectNames[place].subject == subject {
            subjectNames[place].title = title
        } else if subjectNames.count < PersonLimits.subjectNames {
            subjectNames.insert(SubjectName(subject: subject, title: title), at: place)
        }
    }
}

extension Preferences {
    /// `D5`: whether a digest may say anything of its own.
    func tellsOwn(of digest: Int, _ plan: Plan) -> Bool {
        digest == plan.dailyDigest ? tellsPoints(of: "", plan) : kinds[digest].isEnabled
    }

    /// `D5`: whether points of a subject are told: the digest's switch and the points' are on, for everybody and for it.
    func tellsPoints(of subject: String, _ plan: Plan) -> Bool {
        guard let digest = plan.dailyDigest, let points = plan.pointsKind else { return false }
        guard kinds[digest].isEnabled, kinds[points].isEnabled else { return false }
        if subject.isEmpty || subjects.isEmpty && goals.isEmpty { return true }
        let goal = subject.hasPrefix("goal:") ? goals[String(subject.dropFirst("goal:".count))] : nil
        return [digest, points].allSatisfy { kind in
            !isOff(kind, forSubject: subject) && goal?.kinds[kind]?.isEnabled != false
        }
    }
}
