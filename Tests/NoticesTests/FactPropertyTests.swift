import CivilTime
import Foundation
import Notices
import Simulation
import Testing

/// Whatever the reader accepts survives the log: both encodings give back the same record, without what is never kept.
@Suite("Random facts")
struct FactPropertyTests {
    @Test(arguments: 0..<16) func `what is accepted survives both encodings`(seed: UInt64) throws {
        let reader = newReader()
        var source = RandomFacts(seed: seed)
        var accepted = 0
        let rounds = isLong ? 20_000 : 1_500
        for _ in 0..<rounds {
            let line = source.line()
            let bytes = source.json.chance(3) ? source.json.mutated(line) : Array(line.utf8)
            guard let fact = try? bytes.withUnsafeBytes({ try reader.read($0) }) else { continue }
            accepted += 1
            try check(fact, line)
        }
        #expect(accepted > rounds / 3)
    }

    private func check(_ fact: Fact, _ line: String) throws {
        let payload = fact.payload
        let number = payload.type.number
        let kept = withoutTransients(payload)
        let decoded = try Payload.decode(number, payload.bytes)
        #expect(decoded == kept, "\(line)")
        #expect(decoded?.bytes == payload.bytes, "\(line)")
        let json = payload.json
        let read = try Payload.read(logged: JSONTape().parse(json), of: payload.type.text)
        #expect(read == kept, "\(line)")
        #expect(read.json == json, "\(line)")
        #expect(read.bytes == payload.bytes, "\(line)")

        var buffer = ByteBuffer()
        Event(seq: 7, at: .start, user: fact.user, id: fact.id, occurredAt: fact.at, payload: payload)
            .writeJSON(into: &buffer)
        let event = try JSONTape().parse(buffer.text)
        #expect(event["user"]?.string == fact.user && event["id"]?.string == fact.id)
        let head = ["seq", "at", "type"] + (fact.user == nil ? [] : ["user"]) + (fact.id == nil ? [] : ["id"])
        #expect(event.members.map(\.key) == head + (fact.at == nil ? [] : ["occurred_at"]) + ["data"], "SPEC §12")
    }

    private func withoutTransients(_ payload: Payload) -> Payload {
        switch payload {
        case .messageReceived(var message):
            message.messageText = nil
            return .messageReceived(message)
        case .phoneCodeEntered(var entered):
            entered.code = .start
            return .phoneCodeEntered(entered)
        default: return payload
        }
    }
}

/// Lines that a sender might write: any type, any of its fields, values from the plain to the odd.
private struct RandomFacts {
    var json: RandomJSON

    init(seed: UInt64) { json = RandomJSON(seed: seed) }

    mutating func line() -> String {
        let example = json.pick(FactExample.all)
        let schema = Payload.named(example.type)?.schema ?? []
        var members: [String] = []
        for field in schema where field.origin != .derived {
            if field.valueType.isOptional, json.chance(2) { continue }
            members.append("\"\(field.name)\":\(value(field))")
        }
        members.shuffle(using: &json.random)
        var parts = ["\"type\":\"\(example.type)\"", "\"data\":{\(members.joined(separator: ","))}"]
        if example.isAboutPerson { parts.append("\"user\":\"user\(Int.random(in: 0..<100, using: &json.random))\"") }
        if json.chance(3) { parts.append("\"id\":\"id:\(Int.random(in: 0..<100, using: &json.random))\"") }
        if json.chance(3) { parts.append("\"at\":\(instant())") }
        parts.shuffle(using: &json.random)
        return "{\(parts.joined(separator: ","))}"
    }

    private mutating func value(_ field: FieldSchema) -> String {
        if json.chance(60) { return json.value() }
        switch "\(field.elementType)" {
        case "Instant": return instant()
        case "LocalTime":
            return "\"\(LocalTime(minuteOfDay: Int.random(in: 0..<1440, using: &json.random)) ?? .midnight)\""
        case "Text", "PrivateText": return text()
        case "FlatMap<Text>":
            let keys = Set((0..<json.pick([0, 1, 5, 30])).map { _ in text() })
            return "{" + keys.sorted().map { "\($0):\(text())" }.joined(separator: ",") + "}"
        case "JSONDocument": return "{\"policy\":\(json.value(depth: 1))}"
        case "Int" where field.limit == .none: return "\(Int.random(in: .min ... .max, using: &json.random))"
        default: return json.pick(ValueExamples.of(field)?.good ?? ["null"])
        }
    }

    private mutating func instant() -> String {
        let moment = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &json.random)
        return "\"\(Instant(milliseconds: moment))\""
    }

    private mutating func text() -> String {
        let scalars = (0..<json.pick([0, 1, 3, 12])).map { _ -> Unicode.Scalar in
            let top: UInt32 = json.pick([0x80, 0x300, 0x3000, 0xD800, 0x10_FFFF])
            return Unicode.Scalar(UInt32.random(in: 1..<top, using: &json.random)) ?? "\u{301}"
        }
        var buffer = ByteBuffer()
        buffer.appendJSONString(String(String.UnicodeScalarView(scalars)))
        return buffer.text
    }
}
