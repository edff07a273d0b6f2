internal import CivilTime
internal import Notices

/// What a state snapshot says of itself besides its people: a protobuf message, for there is little of it.
struct StateOutline: Equatable {
    /// The document of the policy in force before the first adoption.
    var beginning = ""
    var tzdb = ""
    var policies = PolicyChain()
    /// By the numbers that people name them with.
    var zoneNames: [String] = []
    var people = 0
    /// The policy in force while it has not been applied to everybody.
    var adoption: Adoption?
    /// When the policy in force was adopted: some of a retention hangs on it.
    var adoptedAt = Instant.distantPast
    /// Since when the slots of its kinds are what they are.
    var slotsSince: [Instant] = []

    private enum Field {
        static let beginning = 1
        static let tzdb = 2
        static let policy = 3
        static let zone = 4
        static let people = 5
        static let adoption = 6
        static let applied = 7
        static let concerned = 8
        static let appliedBefore = 9
        static let adoptedAt = 10
        static let slotsSince = 11
    }

    init(_ folded: FoldedLog, _ zoneNames: [String]) {
        beginning = folded.beginning.policy
        tzdb = folded.beginning.tzdb
        policies = folded.policies.shortened(giving: folded.register.plan.rules, from: folded.beginning.plan.rules)
        self.zoneNames = zoneNames
        people = folded.register.people.count
        adoption = folded.register.adoption
        adoptedAt = folded.register.plan.adoptedAt
        slotsSince = folded.register.plan.slotsSince
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.appendText(Field.beginning, beginning)
        buffer.appendText(Field.tzdb, tzdb)
        for document in policies.documents { buffer.appendText(Field.policy, document) }
        for name in zoneNames { buffer.appendText(Field.zone, name) }
        buffer.appendVarint(Field.people, UInt64(people))
        buffer.appendVarint(Field.adoptedAt, UInt64(bitPattern: adoptedAt.milliseconds))
        for instant in slotsSince {
            buffer.appendVarint(Field.slotsSince, UInt64(bitPattern: instant.milliseconds))
        }
        guard let adoption else { return }
        buffer.appendVarint(Field.adoption, UInt64(adoption.seq))
        buffer.appendVarint(Field.applied, UInt64(adoption.through))
        buffer.appendVarint(Field.concerned, UInt64(adoption.count))
        for number in adoption.except.sorted() { buffer.appendVarint(Field.appliedBefore, UInt64(number)) }
    }

    /// What is read of an adoption.
    private var (seq, through, count, except) = (0, 0, 0, Set<Int>())

    /// `nil` for bytes that are none.
    init?(_ bytes: [UInt8]) {
        var outline = Self()
        do throws(WireError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(WireError) in
                var reader = WireReader(UnsafeRawBufferPointer(buffer))
                while let (field, type) = try reader.tag() { try outline.take(field, type, &reader) }
            }
        } catch { return nil }
        if outline.seq > 0 {
            guard outline.through < outline.count, outline.count <= outline.people else { return nil }
            outline.adoption = Adoption(
                of: outline.seq, through: outline.through, count: outline.count, except: outline.except)
        }
        self = outline
    }

    private init() {}

    private mutating func take(_ field: Int, _ type: WireType, _ reader: inout WireReader) throws(WireError) {
        switch (field, type) {
        case (Field.beginning, .bytes): beginning = try reader.text()
        case (Field.tzdb, .bytes): tzdb = try reader.text()
        case (Field.policy, .bytes): policies.adopt(try reader.text())
        case (Field.zone, .bytes): zoneNames.append(try reader.text())
        case (Field.people, .varint):
            people = try number(field, &reader)
            guard people < Roster.countMax else { throw .unknownRecord(field) }
        case (Field.adoption, .varint): seq = try number(field, &reader)
        case (Field.applied, .varint): through = try number(field, &reader)
        case (Field.concerned, .varint): count = try number(field, &reader)
        case (Field.appliedBefore, .varint): except.insert(try number(field, &reader))
        case (Field.adoptedAt, .varint): adoptedAt = Instant(milliseconds: Int64(bitPattern: try reader.varint()))
        case (Field.slotsSince, .varint):
            slotsSince.append(Instant(milliseconds: Int64(bitPattern: try reader.varint())))
        default: throw .wrongWireType(field: field)
        }
    }

    private func number(_ field: Int, _ reader: inout WireReader) throws(WireError) -> Int {
        guard let number = Int(exactly: try reader.varint()) else { throw .unknownRecord(field) }
        return number
    }

    /// `nil` where this machine does not know one: its people would have to be folded from their facts again (`G6`).
    func zones(from beginning: Beginning) -> [ZoneRules]? {
        var zones: [ZoneRules] = []
        for name in zoneNames {
            guard let zone = beginning.plan.zone(name) ?? (name == ZoneRules.utc.name ? .utc : nil) else { return nil }
            zones.append(zone)
        }
        return zones
    }
}
