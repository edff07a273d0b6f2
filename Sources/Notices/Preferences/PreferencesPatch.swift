/// A JSON merge patch (RFC 7396) on a person's preferences: `null` puts a field back to its default.
///
/// What each field may be is checked on arrival, against `PreferenceShape`; which fields an app uses and how far
/// their ranges reach is the policy's to say.
public struct PreferencesPatch: FieldValue, Startable {
    public var document: JSONDocument

    /// The zone the patch asks for, which is the same as a `timezone_changed` (`T9`).
    public var timezone: String? {
        guard let root = try? JSONTape().parse(document.text) else { return nil }
        return root.member("timezone")?.string
    }

    public static var start: PreferencesPatch { PreferencesPatch() }

    private init() { document = .start }

    public init(_ node: JSONNode) throws(FieldError) {
        self.init()
        try readJSON(node, .none)
    }

    /// A patch as somebody wrote it into a file.
    public init(reading text: String) throws(Refusal) {
        let root: JSONNode
        do { root = try JSONTape().parse(text) } catch { throw .notJSON(error) }
        do { try self.init(root) } catch { throw .field(error) }
    }

    public static var protoType: String { "string" }
    public static var protoNote: String? { "a JSON merge patch (RFC 7396) as text" }
    public static var allowed: String { "an object with the preferences to change" }
    public static var isLengthDelimited: Bool { true }
    public static var sample: PreferencesPatch {
        var patch = PreferencesPatch()
        patch.document = JSONDocument(trusted: #"{"digest_mode":true,"quiet_hours":{"start":"21:30"}}"#)
        return patch
    }

    public func encode(_ number: Int, into buffer: inout ByteBuffer) { document.encode(number, into: &buffer) }

    public mutating func decode(_ type: WireType, _ reader: inout WireReader) throws(WireError) {
        var read = JSONDocument.start
        try read.decode(type, &reader)
        // What is sealed of it stands by itself (`E2`).
        guard document != .start, let members = JSONValue(parsing: read.text)?.members else { return document = read }
        for member in members { lay(member) }
    }

    /// As it was checked when it was told.
    init(_ checked: JSONValue) { document = JSONDocument(trusted: checked.text) }

    /// Puts a member in its place: an object into the object that is there, anything else instead of what is.
    private mutating func lay(_ member: JSONValue.Member) {
        var members = JSONValue(parsing: document.text)?.members ?? []
        if let place = members.firstIndex(where: { $0.key == member.key }) {
            members[place].value = Self.laid(member.value, over: members[place].value)
        } else {
            members.append(member)
        }
        self = PreferencesPatch(.object(members))
    }

    private static func laid(_ value: JSONValue, over below: JSONValue) -> JSONValue {
        guard case .object(var members) = below, case .object(let further) = value else { return value }
        for member in further {
            if let place = members.firstIndex(where: { $0.key == member.key }) {
                members[place] = member
            } else {
                members.append(member)
            }
        }
        return .object(members)
    }

    public func writeJSON(into buffer: inout ByteBuffer) { document.writeJSON(into: &buffer) }

    public mutating func readJSON(_ node: JSONNode, _ limit: Limit) throws(FieldError) {
        guard node.isObject else { throw Self.refusal(node) }
        try PreferenceShape.document.check(JSONValue(node))
        if let quiet = node.member("quiet_hours"), let start = quiet.member("start")?.string,
            let end = quiet.member("end")?.string, start == end
        {
            throw FieldError(
                path: "quiet_hours.end",
                "quiet hours that start and end at \(start) are refused; switch quiet_hours.enabled off, or enabled for none at all"
            )
        }
        document = JSONDocument(node)
    }
}
