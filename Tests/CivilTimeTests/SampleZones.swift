import CivilTime

/// The tz database of the machine that runs the tests. Without one no test here can say anything.
let database: ZoneDatabase = {
    do {
        return try ZoneDatabase()
    } catch {
        fatalError("\(error)")
    }
}()

func zone(_ name: String) throws -> ZoneRules {
    try database.zone(named: name)
}

/// Literals for tests: a bad one is a mistake in the test and stops it there.
extension Instant: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        do {
            try self.init(rfc3339: text)
        } catch {
            fatalError("\(error)")
        }
    }
}

extension LocalDate: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text)! }
}

extension LocalTime: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text)! }
}

extension LocalDateTime: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text)! }
}

/// Seeded random numbers (SplitMix64): the same on every machine and in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// One name for each set of clocks: many names are aliases of another.
let distinctZoneNames: [String] = {
    var seen: Set<[ZoneTransition]> = []
    return database.names.filter { name in
        guard let zone = try? zone(name) else { return false }
        let transitions = Array(zone.transitions(in: "1800-01-01T00:00:00Z"..<"2045-01-01T00:00:00Z"))
        return !transitions.isEmpty && seen.insert(transitions).inserted
    }
}()
