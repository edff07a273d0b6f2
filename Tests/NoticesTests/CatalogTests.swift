import Foundation
import Notices
import Testing

@Suite("The catalog")
struct CatalogTests {
    @Test func `the committed .proto is the generated one`() throws {
        let committed = try String(contentsOf: CatalogFolder.proto, encoding: .utf8)
        #expect(committed == ProtoFile.text(), "the contract changed: run ops/catalog and review what it adds")
    }

    @Test func `every type has its golden pair, with all its fields`() throws {
        let goldens = try CatalogFolder.goldens()
        for payload in Payload.all {
            let name = GoldenFile(payload).name
            guard let golden = goldens.first(where: { $0.name == name }) else {
                Issue.record("\(name) has no golden files: run ops/catalog")
                continue
            }
            let root = try JSONTape().parse(golden.json)
            let given = root["data"]?.members.map(\.key) ?? []
            #expect(given == payload.schema.filter { $0.origin != .transient }.map(\.name), "\(name)")
        }
    }

    @Test func `the folder holds nothing else`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: CatalogFolder.url.path)
        let pairs = try CatalogFolder.goldens().flatMap { [$0.name + ".json", $0.name + ".bin"] }
        #expect(Set(files) == Set(pairs + ["belfry.proto", "README.md"]))
    }

    @Test(arguments: try CatalogFolder.goldens()) func `golden files of every version are read for ever`(
        golden: CommittedGolden
    ) throws {
        let type = try #require(Payload.named(golden.type)?.type)
        #expect(golden.number == type.number)
        #expect(golden.version >= 1 && golden.version <= type.version)
        #expect(golden.name == "\(golden.type).v\(golden.version)")

        let payload = try golden.payload()
        #expect(try golden.readJSON() == payload)
        let head = "{\"type\":\"\(golden.type)\",\"number\":\(golden.number),\"version\":\(golden.version),\"data\":"
        #expect(golden.json.hasPrefix(head))
        guard golden.version == type.version else { return }
        #expect(golden.json == head + payload.json + "}\n")
        #expect(payload.bytes == golden.bytes)
    }

    @Test(arguments: Payload.all) func `both examples survive both encodings`(empty: Payload) throws {
        for extent in [Payload.Extent.allFields, .requiredFields] {
            let example = empty.example(extent)
            #expect(try Payload.decode(example.type.number, example.bytes) == example)
            let data = try JSONTape().parse(example.json)
            #expect(try Payload.read(logged: data, of: example.type.text) == example)
        }
    }

    @Test func `an example's fields differ from each other`() throws {
        for payload in Payload.all {
            let root = try JSONTape().parse(payload.example(.allFields).json)
            let values = root.members.map { member in
                // Of yes and no there are but two.
                let hasFew = member.value.isArray || member.value.isObject || member.value.bool != nil
                return hasFew ? member.key : member.value.shown
            }
            #expect(Set(values).count == values.count, "\(payload.type.text): \(values)")
        }
    }
}

@Suite("The numbers of the contract")
struct ContractNumberTests {
    @Test func `types never change their number or name`() {
        #expect(Payload.all.map { "\($0.type.number) \($0.type.text)" } == FrozenContract.types)
    }

    @Test func `fields never change their number, name or type`() {
        for payload in Payload.all {
            let fields = payload.schema.map { "\($0.number) \($0.name) \($0.valueType.protoType)" }
            #expect(fields == FrozenContract.fields[payload.type.text], "\(payload.type.text)")
        }
        #expect(FrozenContract.fields.count == Payload.all.count)
    }

    @Test func `what tells who somebody is stays sealed`() {
        func fields(_ keeping: FieldSchema.Keeping) -> [String] {
            Payload.all.flatMap { payload in
                payload.schema.filter { $0.keeping == keeping }.map { "\(payload.type.text) \($0.name)" }
            }
        }
        #expect(fields(.sealed) == FrozenContract.sealed)
        #expect(fields(.names) == FrozenContract.names)
    }

    @Test func `words never change their number`() {
        var seen: Set<String> = []
        for field in Payload.all.flatMap(\.schema) {
            guard let type = field.elementType as? any Enumeration.Type else { continue }
            #expect(type.names == FrozenContract.words[type.protoName], "\(type.protoName)")
            #expect(Set(type.names).count == type.names.count)
            seen.insert(type.protoName)
        }
        #expect(seen == Set(FrozenContract.words.keys))
    }

    @Test func `every word of an enumeration has a case`() {
        func check<E: Enumeration>(_ type: E.Type) {
            #expect(Array(type.allCases.map(\.rawValue)) == Array(1...type.names.count), "\(type.protoName)")
            #expect(type.allCases.map(\.name) == type.names)
            for word in type.allCases { #expect(E(name: word.name) == word) }
            #expect(E(name: "nonsense") == nil)
        }
        for field in Payload.all.flatMap(\.schema) {
            if let type = field.elementType as? any Enumeration.Type { check(type) }
        }
    }

    @Test func `facts and decisions keep to their own numbers`() {
        let types = Payload.all.map(\.type)
        #expect(Set(types.map(\.number)).count == types.count)
        #expect(Set(types.map(\.text)).count == types.count)
        for type in types {
            #expect(type.side == .fact ? (16...99).contains(type.number) : type.number >= 100, "\(type.text)")
            #expect(type.version >= 1)
        }
        #expect(types.map(\.number) == types.map(\.number).sorted())
    }

    @Test func `field numbers ascend within a record and names are unique`() {
        for payload in Payload.all {
            let numbers = payload.schema.map(\.number).filter { $0 != 0 }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(payload.type.text)")
            #expect(numbers.allSatisfy { $0 < 64 }, "one bit each while decoding: \(payload.type.text)")
            let names = payload.schema.map(\.name)
            #expect(Set(names).count == names.count, "\(payload.type.text)")
            for field in payload.schema { #expect((field.number == 0) == (field.origin == .transient)) }
        }
    }
}
