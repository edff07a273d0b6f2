public import CivilTime

/// One person as kept: 48 bytes for what everyone has, then, for those who have it, what few do.
///
/// Almost everyone has the policy's own preferences and nothing else, so theirs are read in one go. Preferences are not
/// kept: they follow from what the person changed, and those who changed the same share one object.
extension Person {
    static let keptSize = 48

    private static let hasMarks: UInt16 = 1
    private static let hasBox: UInt16 = 2
    private static let hasDevices: UInt16 = 4

    /// `nil` where the table has no room for the person's zone.
    func writeFixed(into writer: inout KeptWriter) -> Bool {
        guard let place = writer.zones.place(of: zone) else { return false }
        writer.instant(enrolledAt)
        writer.instant(settledThrough)
        writer.instant(nextWake)
        writer.instant(lastActiveAt)
        writer.instant(lastHeardAt)
        writer.bytes.appendLittleEndian(flags.rawValue)
        writer.bytes.appendLittleEndian(place)
        writer.bytes.appendLittleEndian(
            (marks.isEmpty ? 0 : Self.hasMarks) | (hasDetails ? Self.hasBox : 0)
                | (devices.isEmpty ? 0 : Self.hasDevices))
        return true
    }

    func writeRest(into writer: inout KeptWriter) {
        if !marks.isEmpty { writer.list(marks) { $1.write(into: &$0) } }
        if !devices.isEmpty { writer.list(Array(devices)) { $1.write(into: &$0) } }
        if hasDetails { details.write(into: &writer) }
    }

    /// - Parameters:
    ///   - fixed: stands at the person's 48 bytes.
    ///   - rest: stands where theirs begins of what few have.
    static func read(
        _ fixed: inout KeptReader, _ rest: inout KeptReader, _ context: inout KeptContext
    ) throws(KeptFault) -> Person {
        let enrolledAt = try fixed.instant()
        let settledThrough = try fixed.instant()
        let nextWake = try fixed.instant()
        let lastActiveAt = try fixed.instant()
        let lastHeardAt = try fixed.instant()
        let flags = Flags(rawValue: try fixed.fixed())
        let zone = Int(try fixed.fixed(UInt16.self))
        let more = try fixed.fixed(UInt16.self)
        guard zone < context.zones.count, more & ~(hasMarks | hasBox | hasDevices) == 0 else { throw .outOfRange }
        var marks: [Mark] = []
        var devices = DeviceList()
        var details: Details?
        if more != 0 {
            let kinds = context.rules.kinds.count
            if more & hasMarks != 0 {
                marks = try rest.list { (reader) throws(KeptFault) in try Mark(from: &reader, kinds: kinds) }
                guard !marks.isEmpty else { throw .outOfRange }
            }
            if more & hasDevices != 0 {
                for _ in 0..<(try rest.count()) { devices.register(try RegisteredDevice(from: &rest)) }
                guard !devices.isEmpty else { throw .outOfRange }
            }
            if more & hasBox != 0 { details = try Details(from: &rest, kinds: kinds) }
        }
        let person = Person(
            zone: context.zones[zone],
            preferences: context.preferences(details?.differences, saidYes: flags.contains(.saidYes)),
            at: enrolledAt, flags: flags, marks: marks, devices: devices, details: details)
        person.settledThrough = settledThrough
        person.nextWake = nextWake
        person.lastActiveAt = lastActiveAt
        person.lastHeardAt = lastHeardAt
        return person
    }
}

extension RegisteredDevice {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.text(id)
        writer.number(sequence)
        writer.number(position)
        writer.instant(registeredAt)
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        let id = try reader.text()
        guard id.utf8.count <= Int(UInt8.max) else { throw .outOfRange }
        let (sequence, position) = (try reader.number(), try reader.number())
        self.init(id: id, sequence: sequence, position: position, registeredAt: try reader.instant())
    }
}

/// What people are read with: the rules in force, the zones by their numbers. Each thread has one of its own.
public struct KeptContext: Sendable {
    public let rules: Rulebook
    public let zones: [ZoneRules]
    private let before: Preferences
    private let after: Preferences
    /// By what was changed, which many do alike: from a preset.
    private var known: [String: Preferences] = [:]
    private static let knownMax = 4096

    public init(_ rules: Rulebook, zones: [ZoneRules]) {
        self.rules = rules
        self.zones = zones
        before = rules.preferences(differing: .emptyObject, saidYes: false)
        after = rules.preferences(differing: .emptyObject, saidYes: true)
    }

    mutating func preferences(_ differences: JSONValue?, saidYes: Bool) -> Preferences {
        guard let differences, differences != .emptyObject else { return saidYes ? after : before }
        let key = (saidYes ? "+" : "-") + differences.text
        if let same = known[key] { return same }
        let preferences = rules.preferences(differing: differences, saidYes: saidYes)
        if known.count < Self.knownMax { known[key] = preferences }
        return preferences
    }
}
