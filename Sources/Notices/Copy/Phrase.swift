/// A text of the policy with places for values: `Time to check in on {count} {count|goal|goals}`, `{subject|Your child}`.
///
/// It is taken apart once. What is put in is never looked at again, so a goal called `{name}` stays one.
public struct Phrase: Sendable {
    /// What may stand in braces. The first are numbers, and may also choose between two forms: `{count|goal|goals}`. The
    /// others are words, and may say what stands there where there are none: `{name|there}`.
    enum Place: String, CaseIterable, Sendable {
        case count, points, sessions, check_ins, goals, earlier
        case title, name, items, left, text, subject
        case day, days, since, by_subject

        var isCounting: Bool {
            switch self {
            case .count, .points, .sessions, .check_ins, .goals, .earlier: true
            case .title, .name, .items, .left, .text, .subject, .day, .days, .since, .by_subject: false
            }
        }
    }

    private enum Piece: Sendable {
        case literal(String)
        case value(Place)
        case word(Place, otherwise: String)
        case plural(Place, one: String, many: String)
        case choice(String, otherwise: String)
    }

    /// In front of a choice's name, as a place in a text and as a member of a job's data.
    static let choicePrefix = "choices."

    private let pieces: [Piece]
    /// The whole of it, where it has no places.
    let plain: String?

    /// What is no place, such as a brace on its own, stays as it is written; `policy check` refuses it.
    public init(_ text: String) {
        var pieces: [Piece] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let parts = rest[rest.index(after: open)..<close].split(separator: "|", omittingEmptySubsequences: false)
            guard let piece = Self.piece(parts) else {
                pieces.append(.literal(String(rest[...close])))
                rest = rest[rest.index(after: close)...]
                continue
            }
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            pieces.append(piece)
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.pieces = pieces
        plain =
            switch pieces.first {
            case nil: ""
            case .literal(let text)? where pieces.count == 1: text
            default: nil
            }
    }

    private static func piece(_ parts: [Substring]) -> Piece? {
        if parts[0].hasPrefix(choicePrefix), parts.count <= 2 {
            return .choice(
                String(parts[0].dropFirst(choicePrefix.count)), otherwise: parts.count == 2 ? String(parts[1]) : "")
        }
        guard let place = Place(rawValue: String(parts[0])) else { return nil }
        switch (parts.count, place.isCounting) {
        case (1, _): return .value(place)
        case (2, false): return .word(place, otherwise: String(parts[1]))
        case (3, true): return .plural(place, one: String(parts[1]), many: String(parts[2]))
        default: return nil
        }
    }

    /// Whether a value stands in it as a text.
    func tells(_ place: Place) -> Bool {
        pieces.contains { piece in
            switch piece {
            case .value(place), .word(place, _): true
            case .value, .word, .literal, .plural, .choice: false
            }
        }
    }

    func filled(_ values: borrowing PhraseValues) -> String {
        if let plain { return plain }
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .value(let place): text += values.text(place)
            case .word(let place, let otherwise): text += values.word(place) ?? otherwise
            case .choice(let name, let otherwise):
                let value = Plain.line(values.choice(name))
                text += value.isEmpty ? otherwise : value
            case .plural(let place, let one, let many): text += values.number(place) == 1 ? one : many
            }
        }
        return text
    }
}

/// What may stand in a phrase.
struct PhraseValues {
    var title = ""
    var name = ""
    var count = 0
    var points = 0
    var items = ""
    var week = WeekActivity()
    var left = ""
    var text = ""
    var subject = ""
    /// Whether that is what people call it, and not an id.
    var isSubjectNamed = false
    var earlier = 0
    var day = ""
    var days = ""
    var since = ""
    var bySubject = ""
    var choices: [(name: String, text: String)] = []

    /// Empty for one that the policy does not declare.
    func choice(_ name: String) -> String { choices.first { $0.name == name }?.text ?? "" }

    func text(_ place: Phrase.Place) -> String {
        switch place {
        case .title: Plain.line(title)
        case .name: Plain.line(name)
        // Each of them is one line already.
        case .items: items
        case .left: left
        case .text: Plain.line(text)
        case .subject: Plain.line(subject)
        case .day: day
        case .days: days
        case .since: since
        case .by_subject: bySubject
        case .count, .points, .sessions, .check_ins, .goals, .earlier: String(number(place))
        }
    }

    /// What people would say; `nil` where there is nothing, or only the id of a subject.
    func word(_ place: Phrase.Place) -> String? {
        if place == .subject, !isSubjectNamed { return nil }
        let text = text(place)
        return text.isEmpty ? nil : text
    }

    func number(_ place: Phrase.Place) -> Int {
        switch place {
        case .count: count
        case .points: points
        case .sessions: week.sessions
        case .check_ins: week.checkIns
        case .goals: week.goals
        case .earlier: earlier
        default: 0
        }
    }
}

/// A kind's words, taken apart. An object, so that looking at a phrase copies no other.
public final class KindPhrases: Sendable {
    let title: Phrase
    let body: Phrase
    let bundleTitle: Phrase
    let bundleBody: Phrase
    let earlier: Phrase
    let bodies: [Phrase]

    init(_ kind: KindRule) {
        let label = kind.label.text.isEmpty ? kind.name.text : kind.label.text
        title = Phrase(kind.copy.title.isEmpty ? label : kind.copy.title)
        body = Phrase(kind.copy.body.isEmpty ? Self.usualBody(of: kind) : kind.copy.body)
        // Of several the words of one would tell the first alone.
        let usualTitle = kind.isBundling ? Phrase("\(label) ({count})") : title
        bundleTitle = kind.copy.bundleTitle.isEmpty ? usualTitle : Phrase(kind.copy.bundleTitle)
        // Whatever a digest lists, it is not the week's or the day's sentence once more.
        let usual = kind.digest == nil && !kind.isBundling ? body : Phrase("{items}.")
        bundleBody = kind.copy.bundleBody.isEmpty ? usual : Phrase(kind.copy.bundleBody)
        earlier = Phrase(kind.copy.earlier.isEmpty ? Self.usualEarlier : kind.copy.earlier)
        bodies = kind.copy.bodies.map(Phrase.init)
    }

    /// What a digest or a summary tells would else be told by nothing: it ends with it.
    private static func usualBody(of kind: KindRule) -> String {
        if case .overload? = kind.schedule { return "{items}." }
        switch kind.digest {
        case .daily?: return "{points} {points|point|points} earned {day}{by_subject}."
        case .weekly?:
            return """
                {sessions} {sessions|session|sessions}, {check_ins} {check_ins|check-in|check-ins}, \
                {points} {points|point|points}, {goals} {goals|goal|goals} achieved.
                """
        case nil: return ""
        }
    }

    private static let usualEarlier = "{earlier} {earlier|point|points} earned {since}{by_subject}."

    /// The words of a day, where there is nothing to put into them.
    func plainWords(onDay day: Int) -> (title: String, body: String)? {
        guard let title = title.plain, let body = bodies.isEmpty ? body.plain : body(onDay: day).plain else {
            return nil
        }
        return (title, body)
    }

    /// The body of a day: kinds with several take turns.
    func body(onDay day: Int) -> Phrase {
        bodies.isEmpty ? body : bodies[((day % bodies.count) + bodies.count) % bodies.count]
    }
}
