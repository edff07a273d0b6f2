import CivilTime
import Notices
import Simulation
import Testing

/// What the contract promises to older and newer readers, and to other writers of protobuf.
@Suite("Older and newer bytes")
struct EvolutionTests {
    @Test(arguments: Payload.all) func `fields that only a newer version knows are skipped`(empty: Payload) throws {
        let example = empty.example(.allFields)
        let known = try WireOccurrence.all(in: example.bytes)
        let unused = (1...63).first { number in !empty.schema.contains { $0.number == number } } ?? 63
        for number in [unused, 63, 64, 100, 1 << 20, (1 << 29) - 1] {
            for type in WireOccurrence.types {
                let stranger = WireOccurrence.plausible(number, type)
                for place in 0...known.count {
                    var fields = known
                    fields.insert(stranger, at: place)
                    let read = try Payload.decode(empty.type.number, fields.flatMap(\.bytes))
                    #expect(read == example, "field \(number) of type \(type) at \(place)")
                }
            }
        }
    }

    @Test(arguments: Payload.all) func `what is missing has its default`(empty: Payload) throws {
        #expect(try Payload.decode(empty.type.number, []) == empty)
        let fields = try WireOccurrence.all(in: empty.example(.allFields).bytes)
        for number in Set(fields.map(\.number)) {
            let rest = fields.filter { $0.number != number }
            let read = try #require(try Payload.decode(empty.type.number, rest.flatMap(\.bytes)))
            let alone = fields.filter { $0.number == number }
            let other = try #require(try Payload.decode(empty.type.number, alone.flatMap(\.bytes)))
            #expect(read != other)
        }
    }

    @Test(arguments: Payload.all) func `fields may stand in any order`(empty: Payload) throws {
        let example = empty.example(.allFields)
        let fields = try WireOccurrence.all(in: example.bytes)
        var random = SeededRandom(seed: UInt64(empty.type.number))
        for _ in 0..<20 {
            // The order of a list's own elements is its meaning.
            var shuffled = fields.shuffled(using: &random)
            for number in Set(fields.map(\.number)) {
                let places = shuffled.indices.filter { shuffled[$0].number == number }
                for (place, field) in zip(places, fields.filter { $0.number == number }) { shuffled[place] = field }
            }
            #expect(try Payload.decode(empty.type.number, shuffled.flatMap(\.bytes)) == example)
        }
    }

    @Test func `the last of several occurrences stands`() throws {
        let twice = message { buffer in
            buffer.appendText(1, "old")
            buffer.appendText(2, "Old")
            buffer.appendVarint(3, 5)
            buffer.appendText(1, "new")
            buffer.appendVarint(3, 6)
        }
        var expected = GoalStarted()
        expected.goal = Identifier("new")
        expected.title = Text("Old")
        expected.deadline = Instant(milliseconds: 6)
        #expect(try Payload.decode(GoalStarted.type.number, twice) == .goalStarted(expected))
    }

    @Test func `the last value of a key stands in a map, and lists grow`() throws {
        let bytes = message { buffer in
            buffer.appendText(3, "b")
            buffer.appendText(3, "a")
            for value in ["first", "second"] {
                buffer.appendMessage(13) { buffer in
                    buffer.appendText(1, "key")
                    buffer.appendText(2, value)
                }
            }
            buffer.appendMessage(13) { buffer in
                buffer.appendText(9, "a field of a newer version")
                buffer.appendText(2, "no key")
            }
        }
        guard case .jobEmitted(let job)? = try Payload.decode(JobEmitted.type.number, bytes) else {
            Issue.record("not a job")
            return
        }
        #expect(job.notices.map(\.text) == ["b", "a"])
        #expect(job.data["key"]?.text == "second")
        #expect(job.data[""]?.text == "no key")
        #expect(job.data.entries.map(\.key) == ["", "key"])
    }

    @Test func `enumerations in a list may be packed or not`() throws {
        var expected = JobEmitted()
        expected.channels = [.sms, .push, .email]
        let loose = message { buffer in for number in [3, 1, 2] { buffer.appendVarint(5, UInt64(number)) } }
        let packed = message { buffer in
            buffer.appendMessage(5) { buffer in for number in [3, 1, 2] { buffer.appendVarint(UInt64(number)) } }
        }
        let mixed = message { buffer in
            buffer.appendMessage(5) { buffer in buffer.appendVarint(UInt64(3)) }
            buffer.appendMessage(5) { _ in }
            buffer.appendVarint(5, 1)
            buffer.appendMessage(5) { buffer in buffer.appendVarint(UInt64(2)) }
        }
        for bytes in [loose, packed, mixed] {
            #expect(try Payload.decode(JobEmitted.type.number, bytes) == .jobEmitted(expected))
        }
        let cut = message { buffer in buffer.appendBytes(5, UnsafeRawBufferPointer(start: nil, count: 0)) }
        #expect(try Payload.decode(JobEmitted.type.number, cut) == .jobEmitted(JobEmitted()))
        let halved: [UInt8] = [0x2A, 0x02, 0x01, 0x80]
        #expect(throws: FieldError.self) { try Payload.decode(JobEmitted.type.number, halved) }
    }

    @Test(arguments: [0, 5, 99, 1 << 40, UInt64.max]) func `an unknown word reads as the first, the least intrusive`(
        number: UInt64
    ) throws {
        let priority = message { buffer in buffer.appendVarint(3, number) }
        var answered = AnalysisAnswered()
        answered.priority = .low
        #expect(try Payload.decode(AnalysisAnswered.type.number, priority) == .analysisAnswered(answered))

        let status = message { buffer in buffer.appendVarint(1, number) }
        var permission = PushPermissionChanged()
        permission.status = .denied
        #expect(
            try Payload.decode(PushPermissionChanged.type.number, status) == .pushPermissionChanged(permission), "G6")
    }

    @Test func `a number of a type this version does not know is not an error`() throws {
        for number in [-1, 0, 1, 15, 61, 99, 113, 1 << 28, Int.max] {
            #expect(try Payload.decode(number, [1, 2, 3]) == nil)
        }
    }

    @Test(arguments: Payload.all) func `another wire type than declared is an error that names the field`(
        empty: Payload
    ) throws {
        for field in try WireOccurrence.all(in: empty.example(.allFields).bytes) {
            let declared = try #require(empty.schema.first { $0.number == field.number })
            for type in WireOccurrence.types where type != field.type {
                // A packed list is bytes, and read.
                if declared.isRepeated, type == .bytes { continue }
                let bytes = WireOccurrence.plausible(field.number, type).bytes
                let error = #expect(throws: FieldError.self) { try Payload.decode(empty.type.number, bytes) }
                #expect(
                    error?.description
                        == "\(declared.name): field \(field.number) has another wire type than declared")
            }
        }
    }

    @Test func `values beyond what a type holds become its nearest`() throws {
        let bytes = message { buffer in
            buffer.appendVarint(4, 5000)
            buffer.appendVarint(5, 0xFFFF)
        }
        var goal = GoalChanged()
        goal.reminderTime = LocalTime(hour: 23, minute: 59)
        goal.checkInDays = .all
        #expect(try Payload.decode(GoalChanged.type.number, bytes) == .goalChanged(goal))
    }

    @Test func `broken bytes name what is wrong`() {
        let cases: [(bytes: [UInt8], problem: String)] = [
            ([0x0A], "goal: the message ends in the middle of a field"),
            ([0x0A, 5, 0x61], "goal: the message ends in the middle of a field"),
            ([0x0A, 1, 0xFF], "goal: a text is not UTF-8"),
            ([0x0B], "wire type 3 does not exist"),
            ([0x00, 0x00], "field number 0 does not exist"),
            (
                [0x18] + [UInt8](repeating: 0x80, count: 11),
                "deadline: a variable-length number is longer than ten bytes"
            ),
            ([UInt8](repeating: 0xFF, count: 11), "a variable-length number is longer than ten bytes"),
            (
                [0xFA, 0x07, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                "the message ends in the middle of a field"
            ),
        ]
        for (bytes, problem) in cases {
            let error = #expect(throws: FieldError.self) { try Payload.decode(GoalStarted.type.number, bytes) }
            #expect(error?.description == problem)
        }
    }
}
