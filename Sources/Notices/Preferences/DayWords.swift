internal import CivilTime

// Days and channels as a sentence has them: who reads a warning knows neither `tue` nor `in_app`.

extension Weekday {
    var word: String {
        switch self {
        case .mon: "Monday"
        case .tue: "Tuesday"
        case .wed: "Wednesday"
        case .thu: "Thursday"
        case .fri: "Friday"
        case .sat: "Saturday"
        case .sun: "Sunday"
        }
    }
}

extension WeekdaySet {
    /// "Monday, Wednesday and Friday", "every day", "no day".
    var inWords: String {
        switch weekdays.count {
        case 0: "no day"
        case 7: "every day"
        default: ChangeSentences.joined(weekdays.map(\.word), "and")
        }
    }
}

extension Channel {
    var inSentence: String {
        switch self {
        case .push: "push"
        case .email: "email"
        case .sms: "SMS"
        case .inApp: "the app"
        }
    }
}
