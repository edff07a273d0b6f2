import CivilTime
import Notices
import Simulation

/// People written down as a snapshot does it, without a file around them.
struct KeptPeople: Equatable {
    var chunks: [[UInt8]]
    var zones: [String]

    init(_ register: Register) {
        var zones = ZoneTable()
        chunks = []
        for place in 0..<PeopleChunk.count(of: register.people.count) {
            var writer = KeptWriter(zones: zones)
            let isKept = PeopleChunk(place, of: register.people.count).write(register.people, into: &writer)
            precondition(isKept, "too many zones")
            chunks.append(Array(writer.bytes.bytes))
            zones = writer.zones
        }
        self.zones = zones.names
    }

    /// Reads them again.
    func people(_ count: Int, _ plan: Plan) throws(KeptFault) -> [Person] {
        var context = KeptContext(plan.rules, zones: zones.map { plan.zone($0) ?? .utc })
        var fault: KeptFault?
        let people = [Person](unsafeUninitializedCapacity: count) { storage, filled in
            for (place, bytes) in chunks.enumerated() {
                let chunk = PeopleChunk(place, of: count)
                let part = UnsafeMutableBufferPointer(rebasing: storage[chunk.range])
                bytes.withUnsafeBytes { raw in
                    do throws(KeptFault) { try chunk.read(raw, into: part, &context) } catch { fault = error }
                }
            }
            filled = count
        }
        if let fault { throw fault }
        return people
    }

    func register(like other: Register) throws(KeptFault) -> Register {
        Register(other.plan, names: other.names, people: try people(other.people.count, other.plan))
    }
}

extension Register {
    /// With everybody's next wake worked out.
    func withWakes() -> Register {
        for person in people { person.nextWake = person.earliestWake(plan) }
        return self
    }
}
