import CivilTime
import Notices
import Testing

@Suite("Facts as senders write them")
struct FactReaderTests {
    let reader = newReader()

    @Test func `the examples cover every type and field that senders may give`() {
        #expect(
            FactExample.all.map(\.type)
                == FrozenContract.types.compactMap { line in
                    let parts = line.split(separator: " ")
                    return Int(parts[0]) ?? 0 < 100 ? String(parts[1]) : nil
                }.filter { name in Payload.facts.contains { $0.type.text == name } })
        for example in FactExample.all {
            let declared = Payload.named(example.type)?.schema.filter { $0.origin != .derived } ?? []
            #expect(Set(example.fields.map(\.name)) == Set(declared.map(\.name)), "\(example)")
            #expect(
                Set(example.optional.map(\.name)) == Set(declared.filter { $0.valueType.isOptional }.map(\.name)),
                "\(example)")
            #expect(Payload.named(example.type)?.type.isAboutPerson == example.isAboutPerson)
        }
        #expect(FactExample.all.count == Payload.facts.count)
    }

    @Test(arguments: FactExample.all) func `minimal and full examples are accepted`(example: FactExample) throws {
        for fields in [example.required, example.fields, example.fields.reversed()] {
            let fact = try reader.read(example.line(fields))
            #expect(fact.payload.type.text == example.type)
            #expect(fact.id == nil && fact.at == nil)
            #expect(
                fact.user
                    == (example.isAboutPerson || example.type == "run_requested" && fields.count > 0 ? "anna" : nil))
        }
        if example.required.isEmpty {
            for data in ["", ",\"data\":null", ",\"data\":{}"] {
                let user = example.isAboutPerson ? ",\"user\":\"anna\"" : ""
                let fact = try reader.read("{\"type\":\"\(example.type)\"\(user)\(data)}")
                #expect(fact.payload == Payload.named(example.type))
            }
        }
    }

    @Test(arguments: FactExample.all) func `every value is kept as it was given`(example: FactExample) throws {
        let payload = try reader.read(example.line(example.fields)).payload
        let written = try JSONTape().parse(payload.json)
        for field in example.fields where field.name != "text" || example.type != "message_received" {
            if example.type == "phone_code_entered" { continue }
            let given = JSONDocument(try JSONTape().parse(field.json)).text
            let kept = try #require(written[field.name], "\(field.name)")
            if field.name == "deadline" || field.name == "expires_at" {
                #expect(
                    try Instant(rfc3339: kept.string ?? "") == Instant(rfc3339: String(given.dropFirst().dropLast())))
            } else if field.name == "data" {
                #expect(
                    kept.members.map(\.key).map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
                        == kept.members.map { Array($0.key.utf8) })
                #expect(kept.count == 3)
            } else {
                #expect(JSONDocument(kept).text == given)
            }
        }
    }

    @Test(arguments: FactExample.all) func `a required field that is missing is named`(example: FactExample) {
        for field in example.required {
            let rest = example.fields.filter { $0.name != field.name }
            let missing = refusal(of: example.line(rest), reader)
            #expect(
                missing?.hasPrefix("data.\(field.name): is missing; it must be ") == true, "\(missing ?? "accepted")")
            let null = refusal(of: example.line(replacing: field.name, with: "null"), reader)
            #expect(null?.hasPrefix("data.\(field.name): ") == true, "\(null ?? "accepted")")
        }
        guard let first = example.required.first else { return }
        let user = example.isAboutPerson ? ",\"user\":\"anna\"" : ""
        for data in ["", ",\"data\":null", ",\"data\":{}"] {
            let missing = refusal(of: "{\"type\":\"\(example.type)\"\(user)\(data)}", reader)
            #expect(
                missing?.hasPrefix("data.\(first.name): is missing; it must be ") == true, "\(missing ?? "accepted")")
        }
    }

    @Test(arguments: FactExample.all) func `null for an optional field leaves it out`(example: FactExample) throws {
        for field in example.optional where !example.isErasable(field) {
            let rest = example.fields.filter { $0.name != field.name }
            let without = try reader.read(example.line(rest))
            #expect(try reader.read(example.line(replacing: field.name, with: "null")) == without, "\(field.name)")
        }
    }

    @Test func `null for an address is none any more, which is not the same as leaving it out`() throws {
        let example = try #require(FactExample.all.first { $0.type == "contact_changed" })
        for field in example.fields.filter({ example.isErasable($0) }) {
            let erased = try reader.read(example.line(replacing: field.name, with: "null")).payload
            let leftOut = try reader.read(example.line(example.fields.filter { $0.name != field.name })).payload
            #expect(erased != leftOut, "\(field.name)")
            #expect(try JSONTape().parse(erased.json)[field.name]?.isNull == true, "\(field.name)")
            #expect(try JSONTape().parse(leftOut.json)[field.name] == nil, "\(field.name)")
            #expect(try Payload.decode(erased.type.number, erased.bytes) == erased)
        }
    }

    @Test(arguments: FactExample.all) func `values of another type or out of range are refused by their path`(
        example: FactExample
    ) throws {
        for field in Payload.named(example.type)?.schema ?? [] where field.origin != .derived {
            let values = try #require(ValueExamples.of(field), "\(field.elementType)")
            for json in values.good {
                if example.type == "run_requested", field.name == "user" { continue }
                let refused = refusal(of: example.line(replacing: field.name, with: json), reader)
                #expect(refused == nil, "\(field.name): \(json.prefix(100))")
            }
            for json in values.bad {
                let refused = refusal(of: example.line(replacing: field.name, with: json), reader)
                let path = "data.\(field.name)"
                let isNamed = [":", ".", "["].contains { refused?.hasPrefix(path + $0) == true }
                #expect(isNamed, "\(json.prefix(100)): \(refused ?? "accepted")")
            }
        }
    }

    @Test(arguments: FactExample.all) func `an unknown field is refused, with those that are known`(
        example: FactExample
    ) {
        for name in ["unknown", "Data", "type", "é"] where !example.fields.contains(where: { $0.name == name }) {
            let refused =
                refusal(of: example.line(example.fields + [FactExample.Field(name: name, json: "1")]), reader) ?? ""
            let known = Payload.named(example.type)?.schema.filter { $0.origin != .derived }.map(\.name) ?? []
            let list = known.isEmpty ? "\(example.type) has no data" : "known here: " + known.joined(separator: ", ")
            let shown = name == "é" ? "\"é\"" : name
            #expect(refused == "data.\(shown): is not a field of \(example.type) (\(list))")
        }
    }

    @Test(arguments: Payload.facts) func `what Belfry works out itself is refused from senders`(fact: Payload) throws {
        let example = try #require(FactExample.all.first { $0.type == fact.type.text })
        let full = try JSONTape().parse(fact.example(.allFields).json)
        for field in fact.schema where field.origin == .derived {
            let json = JSONDocument(try #require(full[field.name])).text
            let refused = refusal(
                of: example.line(example.fields + [FactExample.Field(name: field.name, json: json)]), reader)
            #expect(refused?.hasPrefix("data.\(field.name): is not a field of ") == true, "\(refused ?? "accepted")")
        }
    }

    @Test(arguments: Payload.all.filter { $0.type.side == .decision }) func `decisions are not taken for facts`(
        decision: Payload
    ) {
        let name = decision.type.text
        let data = decision.example(.allFields).json
        let refused = refusal(of: "{\"type\":\"\(name)\",\"user\":\"anna\",\"data\":\(data)}", reader)
        #expect(refused == "type: \"\(name)\" is a decision; only Belfry itself records those")
    }

    @Test(arguments: FactExample.all) func `who it is about is asked for`(example: FactExample) throws {
        guard example.isAboutPerson else { return }
        let refused = refusal(of: example.line(example.fields, user: nil), reader)
        #expect(refused == "user: is missing; it must be \(Identifier.allowed)")
        let null =
            "{\"type\":\"\(example.type)\",\"user\":null,\"data\":{"
            + example.required.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}}"
        #expect(refusal(of: null, reader)?.hasPrefix("user: is missing") == true)
    }
}
