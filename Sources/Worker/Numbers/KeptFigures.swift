internal import Journal
internal import Measuring
internal import Notices

/// The first section of a file of figures: a protobuf message with the policies, kinds, cells and what was used. It is all
/// that a question needs.
struct KeptFigures {
    private(set) var beginning = ""
    private(set) var policies: [String] = []
    private(set) var figures = Figures()

    private enum Field {
        static let beginning = 1
        static let policy = 2
        static let kind = 3
        static let cell = 4
        static let use = 5
        static let usedNow = 6
        static let policyKind = 7
    }

    init(_ numbers: Numbers, _ beginning: Beginning) {
        self.beginning = beginning.policy
        policies = numbers.plan.documents
        figures = numbers.counted
    }

    fileprivate init(_ figures: Figures) { self.figures = figures }

    // MARK: Writing

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        buffer.appendText(Field.beginning, beginning)
        for document in policies { buffer.appendText(Field.policy, document) }
        for kind in figures.kinds { buffer.appendText(Field.kind, kind) }
        for kind in figures.policyKinds { buffer.appendText(Field.policyKind, kind) }
        for (key, cell) in figures.cells.sorted(by: { $0.key.comesBefore($1.key) }) {
            buffer.append(Field.cell, cell.numbers(of: key))
        }
        for (day, use) in figures.uses { Self.append(Field.use, day, use, to: &buffer) }
        Self.append(Field.usedNow, figures.today, figures.usedNow, to: &buffer)
        return Array(buffer.bytes)
    }

    private static func append(_ field: Int, _ day: Int32, _ use: UseCounts, to buffer: inout ByteBuffer) {
        buffer.appendMessage(field) { message in
            message.append(1, [Int(day), use.people, use.quietHours, use.digestMode])
            for (name, count) in use.frequencies.sorted(by: { $0.key < $1.key }) {
                message.appendText(2, name)
                message.append(3, [count])
            }
            for (name, count) in use.presets.sorted(by: { $0.key < $1.key }) {
                message.appendText(4, name)
                message.append(5, [count])
            }
        }
    }

    // MARK: Reading

    /// `nil` for what is none.
    init?(_ bytes: [UInt8]) throws {
        var isWhole = true
        try bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            while let (field, type) = try reader.tag() {
                guard type == .bytes else { throw WireError.wrongWireType(field: field) }
                switch field {
                case Field.beginning: beginning = try reader.text()
                case Field.policy: policies.append(try reader.text())
                case Field.kind:
                    let kind = try reader.text()
                    figures.kindPlaces[kind] = UInt16(clamping: figures.kinds.count)
                    figures.kinds.append(kind)
                case Field.policyKind: figures.policyKinds.append(try reader.text())
                case Field.cell:
                    if let (key, cell) = NumberCell.read(try reader.numbers()) {
                        figures.cells[key] = cell
                    } else {
                        isWhole = false
                    }
                case Field.use: figures.uses.append(try Self.use(try reader.bytes()))
                case Field.usedNow: (figures.today, figures.usedNow) = try Self.use(try reader.bytes())
                default: throw WireError.unknownRecord(field)
                }
            }
        }
        guard isWhole, figures.cells.keys.allSatisfy({ $0.kind < figures.kinds.count }) else { return nil }
    }

    private static func use(_ bytes: UnsafeRawBufferPointer) throws -> (day: Int32, use: UseCounts) {
        var reader = WireReader(bytes)
        var (day, use) = (Int32.min, UseCounts())
        var name = ""
        while let (field, type) = try reader.tag() {
            guard type == .bytes else { throw WireError.wrongWireType(field: field) }
            switch field {
            case 1:
                let numbers = try reader.numbers()
                guard numbers.count == 4 else { throw WireError.unknownRecord(field) }
                day = Int32(clamping: numbers[0])
                (use.people, use.quietHours, use.digestMode) = (numbers[1], numbers[2], numbers[3])
            case 2, 4: name = try reader.text()
            case 3: use.frequencies[name] = try reader.numbers().first
            case 5: use.presets[name] = try reader.numbers().first
            default: throw WireError.unknownRecord(field)
            }
        }
        return (day, use)
    }
}

extension Figures {
    /// As they are kept, to be given to another process; `init(bytes:through:)` reads them.
    public var bytes: [UInt8] { KeptFigures(self).bytes }

    /// - Parameter seq: the last event that is counted.
    /// - Returns: `nil` for what is none.
    public init?(bytes: [UInt8], through seq: UInt64) {
        guard let kept = try? KeptFigures(bytes) else { return nil }
        self = kept.figures
        head.lastSeq = seq
    }
}

extension NumberCell {
    /// Its key, its figures, how late with the sum of it in milliseconds, and what was blocked: each list behind its length.
    fileprivate func numbers(of key: Figures.Key) -> [Int] {
        let figures = Figure.allCases.map { self[$0] }
        let reasons = blocked.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { [$0.key.rawValue, $0.value] }
        let late = late.counts.isEmpty ? [] : late.counts + [Int(late.sumMs)]
        return [Int(key.day), Int(key.kind), Int(key.channel)] + [figures.count] + figures + [late.count] + late
            + reasons
    }

    /// `nil` for numbers that are no cell's.
    fileprivate static func read(_ numbers: [Int]) -> (Figures.Key, NumberCell)? {
        var left = numbers[...]
        func take(_ count: Int) -> ArraySlice<Int>? {
            guard count >= 0, count <= left.count else { return nil }
            defer { left = left.dropFirst(count) }
            return left.prefix(count)
        }
        func list() -> [Int]? { left.popFirst().flatMap { take($0) }.map { Array($0) } }
        guard let place = take(3).map({ Array($0) }), let figures = list(), figures.count == Figure.allCases.count,
            let kept = list(),
            let late = Durations(upTo: lateBoundsMs, counts: kept.dropLast(), sumMs: Double(kept.last ?? 0)),
            left.count.isMultiple(of: 2)
        else { return nil }
        var cell = NumberCell()
        for (figure, count) in zip(Figure.allCases, figures) { cell[figure] = count }
        cell.late = late
        while let reason = left.popFirst().flatMap({ Reason(rawValue: $0) }), let count = left.popFirst() {
            cell.blocked[reason] = count
        }
        guard left.isEmpty else { return nil }
        return (
            Figures.Key(
                day: Int32(clamping: place[0]), kind: UInt16(clamping: place[1]), channel: UInt8(clamping: place[2])),
            cell
        )
    }
}

extension Figures.Key {
    fileprivate func comesBefore(_ other: Self) -> Bool {
        (day, kind, channel) < (other.day, other.kind, other.channel)
    }
}

extension ByteBuffer {
    /// Whole numbers, each as a varint in zigzag: small ones are short, whatever their sign.
    fileprivate mutating func append(_ field: Int, _ numbers: [Int]) {
        appendMessage(field) { message in
            for number in numbers { message.appendVarint(UInt64(bitPattern: Int64(number << 1 ^ number >> 63))) }
        }
    }
}

extension WireReader {
    fileprivate mutating func numbers() throws(WireError) -> [Int] {
        let bytes = try bytes()
        var reader = WireReader(bytes)
        var numbers: [Int] = []
        while !reader.isAtEnd {
            let word = try reader.varint()
            numbers.append(Int(word >> 1) ^ -Int(word & 1))
        }
        return numbers
    }
}
