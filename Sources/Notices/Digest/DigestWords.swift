internal import CivilTime

/// Puts into words what a digest or summary tells: what was gathered, and what is its own, each said as what it is and as
/// much of it as fits (`D6`).
struct DigestWords {
    let phrases: KindPhrases
    var values: PhraseValues
    /// The titles of what was gathered.
    let items: ListedNames
    let points: PointsByDay
    let week: WeekActivity
    /// The local day it is about, and the one it goes out on: a later one where it was held.
    let day: LocalDate
    let today: LocalDate
    private let earlier: Totals
    private let own: Totals
    private let later: Totals

    /// - Parameter name: what a subject is called.
    init(
        phrases: KindPhrases, values: PhraseValues, items: ListedNames, points: PointsByDay, week: WeekActivity,
        day: LocalDate, today: LocalDate, name: @escaping (String) -> String
    ) {
        (self.phrases, self.values, self.items) = (phrases, values, items)
        (self.points, self.week, self.day, self.today) = (points, week, day, today)
        (earlier, own, later) = (
            Totals(points.earlier, name), Totals(points.own, name), Totals(points.later, name)
        )
    }

    var title: String {
        let phrase = items.count == 0 ? phrases.title : phrases.bundleTitle
        var values = values
        values.points = points.total
        values.week = week
        if phrase.tells(.items) { values.items = listed(items.count, nil) }
        values.days = owner
        return phrase.filled(values)
    }

    /// Of at most so many characters, if that can be by naming fewer: how many there are more is said.
    func body(within charactersMax: Int) -> String {
        let all = max(
            items.count, points.earlier.subjects.count, points.own.subjects.count, points.later.subjects.count)
        if let whole = body(within: charactersMax, naming: all) { return whole }
        // More than this many names cannot fit, each with a comma and a space.
        var (fitting, tooMany) = (1, min(all, charactersMax / 3 + 2))
        var fitted: String?
        while fitting + 1 < tooMany {
            let middle = (fitting + tooMany) / 2
            if let body = body(within: charactersMax, naming: middle) {
                (fitting, fitted) = (middle, body)
            } else {
                tooMany = middle
            }
        }
        return fitted ?? body(naming: fitting)
    }

    /// `nil` where it has more characters. Of a list that is too long by itself no more is put together than shows that it is: what stands
    /// around it takes a few characters from it at most, as an accent at its beginning becomes one with what is before.
    private func body(within charactersMax: Int, naming most: Int) -> String? {
        let body = body(naming: most, listing: charactersMax + 8)
        return Plain.fits(body, charactersMax) ? body : nil
    }

    /// - Parameter characters: a list is broken off where it has more. `nil` for never.
    private func body(naming most: Int, listing characters: Int? = nil) -> String {
        var values = values
        if [phrases.bundleBody, phrases.body, phrases.earlier].contains(where: { $0.tells(.items) }) {
            values.items = listed(most, characters)
        }
        values.week = week
        values.points = points.total
        var sentences: [String] = []
        if items.count > 0 { sentences.append(phrases.bundleBody.filled(values)) }
        if !week.isEmpty {
            values.points = week.points
            sentences.append(phrases.body.filled(values))
        }
        for (group, totals, date) in [(points.own, own, day), (points.later, later, today)] where group.total > 0 {
            values.points = group.total
            values.day = date.spoken(today: today)
            values.days = date.owner(today: today)
            values.bySubject = totals.listed(most, characters)
            sentences.append(phrases.body.filled(values))
        }
        if points.earlier.total > 0 {
            values.earlier = points.earlier.total
            values.since = since
            values.bySubject = earlier.listed(most, characters)
            sentences.append(phrases.earlier.filled(values))
        }
        return sentences.joined(separator: " ")
    }

    // MARK: Lists

    private func listed(_ most: Int, _ characters: Int?) -> String {
        ListedNames.listed(items.first(most, listing: characters), of: items.count)
    }

    /// Points by subject: `: Lea 38, Tom 12`, or nothing where no subject is known.
    private struct Totals {
        let named: ListedNames
        /// The points of no subject.
        let others: Int?

        init(_ group: PointsByDay.Group, _ name: @escaping (String) -> String) {
            let named = group.subjects.filter { !$0.subject.isEmpty }.sorted {
                $0.points == $1.points ? $0.subject < $1.subject : $0.points > $1.points
            }
            self.named = ListedNames(named.count) { "\(name(named[$0].subject)) \(named[$0].points)" }
            others = group.subjects.first { $0.subject.isEmpty }?.points
        }

        func listed(_ most: Int, _ characters: Int?) -> String {
            guard named.count > 0 else { return "" }
            var totals = Array(named.first(most, listing: characters))
            if let others, named.count <= most { totals.append("others \(others)") }
            return ": " + ListedNames.listed(totals, of: max(totals.count, named.count))
        }
    }

    // MARK: Days

    /// Whose digest it is, as a title says it: "Today's", "Monday's"; of points of several days past "Recent".
    private var owner: String {
        if items.count > 0 || points.own.total > 0 { return day.owner(today: today) }
        if points.later.total > 0 { return today.owner(today: today) }
        guard let first = points.earlier.firstDay else { return day.owner(today: today) }
        return first == points.earlier.lastDay ? first.owner(today: today) : "Recent"
    }

    /// Since when the older points are: of a single day the day itself.
    private var since: String {
        guard let first = points.earlier.firstDay else { return "" }
        let day = first.spoken(today: today)
        guard first != points.earlier.lastDay else { return day }
        return "since " + (day.hasPrefix("on ") ? String(day.dropFirst(3)) : day)
    }
}

extension LocalDate {
    /// "today", "yesterday", "on Monday", "on 20 February".
    fileprivate func spoken(today: LocalDate) -> String {
        switch today.days(since: self) {
        case 0: "today"
        case 1: "yesterday"
        default: "on \(named(today: today))"
        }
    }

    fileprivate func owner(today: LocalDate) -> String {
        switch today.days(since: self) {
        case 0: "Today's"
        case 1: "Yesterday's"
        case 2...6: "\(named(today: today))'s"
        default: "Recent"
        }
    }

    /// Days of the last week by their names.
    private func named(today: LocalDate) -> String {
        if (0...6).contains(today.days(since: self)) { return Self.weekdays[weekday.rawValue - 1] }
        let (_, month, day) = yearMonthDay
        return "\(day) \(Self.months[month - 1])"
    }

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
