import Foundation

/// A fact as its sender writes it: one line of JSON with its line end.
func fact(
    _ type: String = "app_opened", user: String? = "anna", id: String? = nil, at: String? = nil, data: String? = nil
) -> String {
    var members = ["\"type\":\"\(type)\""]
    if let user { members.append("\"user\":\"\(user)\"") }
    if let id { members.append("\"id\":\"\(id)\"") }
    if let at { members.append("\"at\":\"\(at)\"") }
    if let data { members.append("\"data\":\(data)") }
    return "{\(members.joined(separator: ","))}\n"
}

/// Several facts of the same kind, numbered.
func facts(_ numbers: ClosedRange<Int>, user: String = "anna", idPrefix: String = "f") -> String {
    numbers.map { fact(user: user, id: "\(idPrefix)\($0)") }.joined()
}

/// A line that `belfry log` printed.
struct LoggedEvent: Decodable, Equatable {
    var seq: UInt64
    var at: String
    var type: String
    var user: String?
    var id: String?
    var occurred_at: String?
}

extension Outcome {
    /// The events that `belfry log` printed. Traps on a line that is not JSON, which is a failure of its own.
    func events() throws -> [LoggedEvent] {
        try lines.map { try JSONDecoder().decode(LoggedEvent.self, from: Data($0.utf8)) }
    }
}
