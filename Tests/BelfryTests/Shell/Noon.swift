import Foundation

/// Where it is noon: the program runs with the machine's clock, and people who live here are far from their quiet hours,
/// their check-ins, their digests and midnight, whatever the hour is and wherever the machine.
enum Noon {
    /// A zone in which it is between 12:00 and 13:00. The tests are over long before anything comes up there.
    static let zone: String = {
        let hour = Int(Date().timeIntervalSince1970) / 3600 % 24
        let ahead = 12 - hour
        // These zones are named by what is to be added to get to UTC.
        return ahead == 0 ? "Etc/UTC" : "Etc/GMT\(ahead > 0 ? "-" : "+")\(abs(ahead))"
    }()
}
