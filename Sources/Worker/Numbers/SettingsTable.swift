internal import CivilTime
internal import Notices

/// Which settings everybody uses: a number for each person, and what each number stands for. Ten million people who changed
/// nothing are ten million times the same number.
struct SettingsTable {
    private struct Row {
        var settings: SettingsInUse
        var use: SettingsInUse.Use
        var people = 0
    }

    private var rows: [Row] = []
    private var numbers: [SettingsInUse: UInt32] = [:]
    /// Rows that nobody uses any more.
    private var unused: [UInt32] = []
    /// By the log's number of a person.
    private(set) var people: [UInt32] = []
    /// The number of whom the log erased (`E1`): they use nothing any more.
    private static let erased = UInt32.max
    private(set) var use = UseCounts()

    init() {}

    /// The next person that the log met.
    mutating func add(_ settings: SettingsInUse, _ rules: Rulebook) {
        people.append(take(settings, rules))
    }

    func settings(of person: Int) -> SettingsInUse? {
        guard person < people.count, people[person] != Self.erased else { return nil }
        return rows[Int(people[person])].settings
    }

    mutating func change(_ person: Int, to settings: SettingsInUse, _ rules: Rulebook) {
        let old = people[person]
        guard rows[Int(old)].settings != settings else { return }
        people[person] = take(settings, rules)
        release(old)
    }

    mutating func erase(_ person: Int) {
        guard person < people.count, people[person] != Self.erased else { return }
        release(people[person])
        people[person] = Self.erased
    }

    /// Another policy is in force: what people use is read anew.
    mutating func reread(_ rules: Rulebook) {
        use = UseCounts()
        for place in rows.indices where rows[place].people > 0 {
            rows[place].use = rows[place].settings.use(under: rules)
            use.count(rows[place].use, rows[place].people)
        }
    }

    private mutating func take(_ settings: SettingsInUse, _ rules: Rulebook) -> UInt32 {
        let number = numbers[settings] ?? enter(settings, rules)
        rows[Int(number)].people += 1
        use.count(rows[Int(number)].use, 1)
        return number
    }

    private mutating func enter(_ settings: SettingsInUse, _ rules: Rulebook) -> UInt32 {
        let row = Row(settings: settings, use: settings.use(under: rules))
        let number: UInt32
        if let free = unused.popLast() {
            number = free
            rows[Int(free)] = row
        } else {
            number = UInt32(rows.count)
            rows.append(row)
        }
        numbers[settings] = number
        return number
    }

    private mutating func release(_ number: UInt32) {
        use.count(rows[Int(number)].use, -1)
        rows[Int(number)].people -= 1
        guard rows[Int(number)].people == 0 else { return }
        numbers[rows[Int(number)].settings] = nil
        unused.append(number)
    }

    // MARK: Keeping

    /// The same whatever way it came about: settings in the order in which the log met the first who uses them.
    var kept: (settings: [SettingsInUse], people: [UInt32]) {
        var places = [UInt32](repeating: .max, count: rows.count)
        var settings: [SettingsInUse] = []
        let people = people.map { number in
            if number == Self.erased { return number }
            if places[Int(number)] == .max {
                places[Int(number)] = UInt32(settings.count)
                settings.append(rows[Int(number)].settings)
            }
            return places[Int(number)]
        }
        return (settings, people)
    }

    /// `nil` where somebody's number stands for nothing.
    init?(_ settings: [SettingsInUse], people: [UInt32], _ rules: Rulebook) {
        rows = settings.map { Row(settings: $0, use: $0.use(under: rules)) }
        for number in people where number != Self.erased {
            guard number < rows.count else { return nil }
            rows[Int(number)].people += 1
        }
        self.people = people
        for (place, row) in rows.enumerated() {
            guard numbers.updateValue(UInt32(place), forKey: row.settings) == nil, row.people > 0 else { return nil }
            use.count(row.use, row.people)
        }
    }
}
