internal import CivilTime

/// Says what a changed weekly schedule means: the hours of the days that are otherwise than before.
struct ScheduleSentence {
    let old: JSONValue
    let new: JSONValue

    init(from old: JSONValue, to new: JSONValue) { (self.old, self.new) = (old, new) }

    var text: String {
        guard new != .null else { return "Notices may come at any hour of the week" }
        guard old != .null else { return "Notices come only in these hours: \(whole)" }
        let changed = Weekday.allCases.filter { hours($0, old) != hours($0, new) }
        return groups(changed) { [hours($0, old), hours($0, new)] }.map { days, hours in
            "on \(days.inWords) notices come \(Self.told(hours[1])) instead of \(Self.told(hours[0]))"
        }.joined(separator: "; ").capitalizingFirst
    }

    /// Every day that has hours.
    private var whole: String {
        let days = Weekday.allCases.filter { !hours($0, new).isEmpty }
        let told = groups(days) { [hours($0, new)] }.map { days, hours in "\(days.inWords) \(Self.told(hours[0]))" }
        return told.isEmpty ? "none" : told.joined(separator: "; ")
    }

    /// Days of which the same is to be said, in the order of the first.
    private func groups(
        _ days: [Weekday], by hours: (Weekday) -> [[String]]
    ) -> [(days: WeekdaySet, hours: [[String]])] {
        var groups: [(days: [Weekday], hours: [[String]])] = []
        for day in days {
            let its = hours(day)
            if let place = groups.firstIndex(where: { $0.hours == its }) {
                groups[place].days.append(day)
            } else {
                groups.append(([day], its))
            }
        }
        return groups.map { (WeekdaySet($0.days), $0.hours) }
    }

    private func hours(_ day: Weekday, _ schedule: JSONValue) -> [String] {
        (schedule[day.name]?.elements ?? []).compactMap { slot in
            let ends = (slot.elements ?? []).compactMap(\.string)
            return ends.count == 2 ? "\(ends[0])–\(ends[1])" : nil
        }
    }

    private static func told(_ hours: [String]) -> String {
        hours.isEmpty ? "at no hour" : ChangeSentences.joined(hours, "and")
    }
}
