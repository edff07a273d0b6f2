import Notices
import Simulation

/// Random JSON texts, most of them well-formed, with every freedom of spelling the format has.
struct RandomJSON {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    mutating func value(depth: Int = 0) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 5 : 8), using: &random) {
        case 0: return number()
        case 1, 2: return string()
        case 3: return pick(["true", "false"])
        case 4: return "null"
        case 5:
            let elements = (0..<size()).map { _ in space() + value(depth: depth + 1) + space() }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        default:
            let members = (0..<size()).map { index in
                let key = chance(40) ? "\"k0\"" : "\"k\(index)\(chance(4) ? escapedUnit() : "")\""
                return space() + key + space() + ":" + space() + value(depth: depth + 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }
    }

    private mutating func size() -> Int {
        chance(30) ? Int.random(in: 15...20, using: &random) : pick([0, 1, 1, 2, 3])
    }

    private mutating func space() -> String { pick(["", "", "", " ", "\n", "\t", "\r\n"]) }

    private mutating func number() -> String {
        let whole = pick(["0", "7", "12", "999", "9007199254740993", "18446744073709551616", "9223372036854775807"])
        let fraction = pick(["", "", "", ".0", ".5", ".125", ".10"])
        let exponent = pick(["", "", "", "e1", "E2", "e+3", "e-2", "E-10"])
        return pick(["", "-"]) + whole + fraction + exponent
    }

    private mutating func string() -> String {
        let parts = (0..<pick([0, 1, 2, 5])).map { _ in
            pick(["a", "Zoë", "", "日本", "\u{1F514}", " ", "/", "'", "\u{7F}", "\u{2028}", "{", "]", ",", ":"])
                + (chance(4) ? escapedUnit() : "")
        }
        return "\"" + parts.joined() + "\""
    }

    private mutating func escapedUnit() -> String {
        pick([
            #"\n"#, #"\t"#, #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\r"#, #"\u0041"#, #"\u00e9"#, #"\uD83D\uDD14"#,
            #"\u2028"#, #"\u0001"#,
        ])
    }

    /// Some bytes changed, most of them to such as mean something in JSON.
    mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        let meaningful = Array("{}[]\",:\\u0123456789eE+-.tfn \n\0/D8CA".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < bytes.count: bytes[place] = pick(meaningful)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(pick(meaningful), at: place)
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default:
                let from = Int.random(in: 0...bytes.count, using: &random)
                bytes.insert(contentsOf: Array(bytes[from...].prefix(6)), at: place)
            }
        }
        return bytes
    }
}
