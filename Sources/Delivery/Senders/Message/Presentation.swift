internal import Notices

/// How loud a job is on a device (SPEC §11): what its priority means there.
enum Presentation: Equatable {
    /// Critical and high: shown, with a sound.
    case loud
    /// Medium: shown, silently.
    case silent
    /// Low: a badge, and nothing that is shown.
    case badgeOnly

    init(_ priority: Priority) {
        switch priority {
        case .critical, .high: self = .loud
        case .medium: self = .silent
        case .low: self = .badgeOnly
        }
    }
}
