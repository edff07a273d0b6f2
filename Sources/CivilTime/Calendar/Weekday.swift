/// A day of the week, numbered as ISO 8601 does and named as the preferences document does (SPEC §3).
public enum Weekday: Int, CaseIterable, Hashable, Comparable, Sendable {
    case mon = 1
    case tue, wed, thu, fri, sat, sun

    public init?(name: String) {
        switch name {
        case "mon": self = .mon
        case "tue": self = .tue
        case "wed": self = .wed
        case "thu": self = .thu
        case "fri": self = .fri
        case "sat": self = .sat
        case "sun": self = .sun
        default: return nil
        }
    }

    public var name: String {
        switch self {
        case .mon: "mon"
        case .tue: "tue"
        case .wed: "wed"
        case .thu: "thu"
        case .fri: "fri"
        case .sat: "sat"
        case .sun: "sun"
        }
    }

    public static func < (left: Weekday, right: Weekday) -> Bool {
        left.rawValue < right.rawValue
    }
}
