import CivilTime
import Simulation
import Testing

@testable import Notices

/// A digest puts together no more of its lists than may be shown, and says what it would if it put all of them together each time.
@Suite("Properties of a digest's words")
struct DigestWordsTests {
    private static let parts = [
        "a", "Lea", "Tom & Ann", " ", "", "e\u{301}", "\u{301}", "🇫", "🇫🇷", "👩\u{200D}", "👩\u{200D}👩\u{200D}👧",
        "\u{200D}", "\u{600}",
        "क\u{94D}", "क", "\u{1100}", "\u{1161}", "日本", "«Ça»", "12", ".", ",",
    ]

    /// The same digest told both ways.
    private struct Digest {
        var random: SeededRandom
        var rule = KindRule()
        var items: [String] = []
        var entries: [PointsEntry] = []
        let day = LocalDate(daysSince1970: 20_000)
        let today: LocalDate

        init(seed: UInt64) {
            random = SeededRandom(seed: seed)
            today = LocalDate(daysSince1970: 20_000 + Int32.random(in: 0...1, using: &random))
            rule.copy.title = "Today"
            rule.copy.body = pick(["{points} points{by_subject}.", "{by_subject}", "{points} with {items}"])
            rule.copy.bundleTitle = pick(["{days} news", "{items}", "{count} {items}!"])
            rule.copy.bundleBody = pick([
                "{items}.", "", "You have {count}.", "🇫{items}", "👩\u{200D}{items}\u{301} {items}",
            ])
            let longest = pick([1, 4, 30])
            for _ in 0..<pick([0, 1, 2, 12, 80]) { items.append(name(longest)) }
            for _ in 0..<pick([0, 0, 1, 5, 30]) {
                let number = day.daysSince1970 + Int32.random(in: -2...1, using: &random)
                entries.append(
                    PointsEntry(
                        subject: name(2), day: LocalDate(daysSince1970: number), points: pick([0, 1, 70, 8_000])))
            }
        }

        mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

        private mutating func name(_ longest: Int) -> String {
            (0..<Int.random(in: 0...longest, using: &random)).map { _ in pick(DigestWordsTests.parts) }.joined()
        }

        func name(ofSubject subject: String) -> String { Plain.line(subject + subject) }

        var words: DigestWords {
            let items = items
            return DigestWords(
                phrases: KindPhrases(rule), values: PhraseValues(), items: ListedNames(items.count) { items[$0] },
                points: PointsByDay(entries, day: day), week: WeekActivity(), day: day, today: today,
                name: name(ofSubject:))
        }

        var whole: WholeWords {
            WholeWords(
                phrases: KindPhrases(rule), values: PhraseValues(), items: items,
                points: PointsByDay(entries, day: day), week: WeekActivity(), day: day, today: today,
                name: name(ofSubject:))
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func `a digest says what it would if all were put together`(seed: UInt64)
    {
        for round in 0..<40 as Range<UInt64> {
            let digest = Digest(seed: seed &* 100 &+ round)
            let (words, whole) = (digest.words, digest.whole)
            #expect(words.title == whole.title)
            for charactersMax in [0, 1, 38, 65, 120, 240, 4_000] {
                let (body, expected) = (words.body(within: charactersMax), whole.body(within: charactersMax))
                #expect(Array(body.utf8) == Array(expected.utf8), "\(seed) \(round) \(charactersMax)")
            }
        }
    }

    @Test func `of a thousand long titles no more are worked out than may be shown`() {
        var rule = KindRule()
        (rule.copy.bundleTitle, rule.copy.bundleBody) = ("{count} things", "{items}.")
        var asked = 0
        let items = ListedNames(1_000) { _ in
            asked += 1
            return String(repeating: "a", count: 4_096)
        }
        let day = LocalDate(daysSince1970: 20_000)
        let words = DigestWords(
            phrases: KindPhrases(rule), values: PhraseValues(), items: items, points: PointsByDay([], day: day),
            week: WeekActivity(), day: day, today: day, name: { $0 })
        #expect(words.title == "0 things")
        #expect(words.body(within: 240) == String(repeating: "a", count: 4_096) + " and 999 more.")
        #expect(asked == 1)
    }
}

/// Puts all of every list together each time that it is asked whether so much of it fits.
private struct WholeWords {
    let phrases: KindPhrases
    var values: PhraseValues
    /// The titles of what was gathered.
    let items: [String]
    let points: PointsByDay
    let week: WeekActivity
    /// The local day it is about, and the one it goes out on: a later one where it was held.
    let day: LocalDate
    let today: LocalDate
    /// What a subject is called.
    let name: (String) -> String

    var title: String {
        var values = values
        values.points = points.total
        values.week = week
        values.items = listed(items.count)
        values.days = owner
        return (items.isEmpty ? phrases.title : phrases.bundleTitle).filled(values)
    }

    /// Of at most so many characters, if that can be by naming fewer: how many there are more is said.
    func body(within charactersMax: Int) -> String {
        let all = max(
            items.count, points.earlier.subjects.count, points.own.subjects.count, points.later.subjects.count)
        let whole = body(naming: all)
        if whole.utf8.count <= charactersMax || whole.count <= charactersMax { return whole }
        // More than this many names cannot fit, each with a comma and a space.
        var (fitting, tooMany) = (1, min(all, charactersMax / 3 + 2))
        while fitting + 1 < tooMany {
            let middle = (fitting + tooMany) / 2
            if body(naming: middle).count <= charactersMax { fitting = middle } else { tooMany = middle }
        }
        return body(naming: fitting)
    }

    private func body(naming most: Int) -> String {
        var values = values
        values.items = listed(most)
        values.week = week
        values.points = points.total
        var sentences: [String] = []
        if !items.isEmpty { sentences.append(phrases.bundleBody.filled(values)) }
        if !week.isEmpty {
            values.points = week.points
            sentences.append(phrases.body.filled(values))
        }
        for (group, date) in [(points.own, day), (points.later, today)] where group.total > 0 {
            values.points = group.total
            values.day = date.spoken(today: today)
            values.days = date.owner(today: today)
            values.bySubject = totals(of: group, most)
            sentences.append(phrases.body.filled(values))
        }
        if points.earlier.total > 0 {
            values.earlier = points.earlier.total
            values.since = since
            values.bySubject = totals(of: points.earlier, most)
            sentences.append(phrases.earlier.filled(values))
        }
        return sentences.joined(separator: " ")
    }

    // MARK: Lists

    private func listed(_ most: Int) -> String {
        Self.listed(items.prefix(most), of: items.count)
    }

    private static func listed(_ names: some Collection<String>, of count: Int) -> String {
        let more = count - names.count
        return names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// `: Lea 38, Tom 12`, or nothing where no subject is known.
    private func totals(of group: PointsByDay.Group, _ most: Int) -> String {
        let named = group.subjects.filter { !$0.subject.isEmpty }.sorted {
            $0.points == $1.points ? $0.subject < $1.subject : $0.points > $1.points
        }
        guard !named.isEmpty else { return "" }
        var totals = named.prefix(most).map { "\(name($0.subject)) \($0.points)" }
        let others = group.subjects.first { $0.subject.isEmpty }
        if let others, named.count <= most { totals.append("others \(others.points)") }
        return ": " + Self.listed(totals, of: max(totals.count, named.count))
    }

    // MARK: Days

    /// Whose digest it is, as a title says it: "Today's", "Monday's"; of points of several days past "Recent".
    private var owner: String {
        if !items.isEmpty || points.own.total > 0 { return day.owner(today: today) }
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
