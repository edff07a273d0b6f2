internal import CivilTime
internal import Notices

/// The body of a standard report, read as strictly as a fact: a field that is passed over can be a dead address that is used again.
/// `null` is a field left out.
struct StandardReport {
    var read: ProviderReport

    private enum Field: String, CaseIterable {
        case job, channel, status, permanent, code, at
        case providerID = "provider_id"
    }

    init(_ body: [UInt8]) throws(FieldError) {
        guard let said = ProviderAnswer(status: 200, body: body).json, case .object(let members) = said else {
            throw FieldError("a report is a JSON object")
        }
        if let stray = members.first(where: { Field(rawValue: $0.key) == nil }) {
            let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
            throw FieldError(path: quoted(stray.key), "is not a field of a report (known here: \(known))")
        }
        let status = try Self.required(.status, in: said, Self.words) { word in
            Self.statuses.first { $0.rawValue == word }
        }
        let channels = ChannelSet.ringing.list
        let channel = try Self.required(
            .channel, in: said, "one of " + channels.map(\.name).joined(separator: ", ")
        ) { name in channels.first { $0.name == name } }
        let job = try Self.required(.job, in: said, NoticeName.allowed) { NoticeName.isAccepted($0) ? $0 : nil }
        read = ProviderReport(
            id: "", job: .named(job),
            providerID: try Self.optional(.providerID, in: said, Self.token) { ProviderAnswer.providerID($0.string) },
            status: status)
        read.channel = channel
        read.isPermanent = try Self.optional(.permanent, in: said, "true or false") { $0.bool } ?? false
        read.code = try Self.optional(.code, in: said, Self.token) {
            // One that is only too long is cut: the rest of the report may be about a dead address.
            ProviderAnswer.providerID($0.string.map { String($0.prefix(ProviderReport.codeBytesMax)) })
        }
        read.at = try Self.optional(.at, in: said, "an instant such as 2026-03-02T14:00:00Z, of the years 2000 to 2099")
        {
            $0.string.flatMap { ReportTime.instant($0) }
        }
    }

    static func hasField(_ name: String) -> Bool { Field(rawValue: name) != nil }

    private static let words =
        "one of " + statuses.map(\.rawValue).joined(separator: ", ")
    /// Of a job: what somebody texts is about none.
    private static let statuses = ProviderReport.Status.allCases.filter { $0 != .resubscribed }
    private static let token = "a text of 1 to 256 printable ASCII characters without spaces"

    private static func required<Value>(
        _ field: Field, in said: JSONValue, _ allowed: String, _ read: (String) -> Value?
    ) throws(FieldError) -> Value {
        let value = try optional(field, in: said, allowed) { $0.string.flatMap(read) }
        guard let value else { throw FieldError(path: field.rawValue, "is missing: it is \(allowed)") }
        return value
    }

    private static func optional<Value>(
        _ field: Field, in said: JSONValue, _ allowed: String, _ read: (JSONValue) -> Value?
    ) throws(FieldError) -> Value? {
        guard let given = said[field.rawValue], given != .null else { return nil }
        guard let value = read(given) else {
            throw FieldError(path: field.rawValue, "\(given.shown) is not \(allowed)")
        }
        return value
    }
}
