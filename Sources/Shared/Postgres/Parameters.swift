internal import CPostgres

/// One parameter in PostgreSQL's binary form. The statement's casts say its type.
struct Parameter {
    var bytes: [UInt8]?

    static let null = Parameter(bytes: nil)

    static func bool(_ value: Bool) -> Parameter { Parameter(bytes: [value ? 1 : 0]) }
    static func int2(_ value: Int16) -> Parameter { Parameter(bytes: bigEndian(value)) }
    static func int4(_ value: Int) -> Parameter { Parameter(bytes: bigEndian(Int32(value))) }
    static func int8(_ value: Int64) -> Parameter { Parameter(bytes: bigEndian(value)) }
    /// - Precondition: a position, which no log ever has that does not fit.
    static func position(_ value: UInt64) -> Parameter { int8(Int64(value)) }
    static func text(_ value: String) -> Parameter { Parameter(bytes: Array(value.utf8)) }
    static func bytea(_ value: [UInt8]) -> Parameter { Parameter(bytes: value) }
    static func uuid<Bearer>(_ value: Identity<Bearer>) -> Parameter { Parameter(bytes: value.bytes) }

    static func int4s(_ values: [Int]) -> Parameter {
        array(of: 23, values.count, bytes: values.count * 4) { bytes in
            for value in values { append(bigEndian(Int32(value)), to: &bytes) }
        }
    }

    static func int8s(_ values: [Int64]) -> Parameter {
        array(of: 20, values.count, bytes: values.count * 8) { bytes in
            for value in values { append(bigEndian(value), to: &bytes) }
        }
    }

    static func byteas(_ values: [[UInt8]]) -> Parameter {
        array(of: 17, values.count, bytes: values.reduce(0) { $0 + $1.count }) { bytes in
            for value in values { append(value, to: &bytes) }
        }
    }

    /// One dimension from 1, without nulls: dimensions, whether there are nulls, the elements' type, length, lower bound.
    private static func array(
        of type: Int32, _ count: Int, bytes size: Int, _ fill: (inout [UInt8]) -> Void
    ) -> Parameter {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + size + 4 * count)
        for word in [1, 0, type, Int32(count), 1] { bytes += bigEndian(word) }
        fill(&bytes)
        return Parameter(bytes: bytes)
    }

    private static func append(_ element: [UInt8], to bytes: inout [UInt8]) {
        bytes += bigEndian(Int32(element.count))
        bytes += element
    }

    private static func bigEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// The rows that a statement answered with, in binary form, and the warnings that came with them.
///
/// It owns libpq's result, which is freed with it.
struct Answer: ~Copyable {
    private let result: OpaquePointer?
    let warnings: [ServerWords]

    init(_ result: OpaquePointer?, warnings: [ServerWords]) {
        self.result = result
        self.warnings = warnings
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] { withField(row, column) { Array($0) } }

    func text(_ row: Int, _ column: Int) -> String { withField(row, column) { String(decoding: $0, as: UTF8.self) } }

    func bool(_ row: Int, _ column: Int) -> Bool { withField(row, column) { $0.first == 1 } }

    /// A whole number of two, four or eight bytes; `nil` for anything else.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        withField(row, column) { field in
            switch field.count {
            case 2: Int64(Int16(bigEndian: field.loadUnaligned(as: Int16.self)))
            case 4: Int64(Int32(bigEndian: field.loadUnaligned(as: Int32.self)))
            case 8: Int64(bigEndian: field.loadUnaligned(as: Int64.self))
            default: nil
            }
        }
    }

    func identity<Bearer>(_ row: Int, _ column: Int) -> Identity<Bearer>? {
        withField(row, column) { $0.count == 16 ? Identity(bytes: $0) : nil }
    }

    private func withField<Value>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        // Safe: libpq keeps the field, and as many bytes as it says, until the result is freed.
        let start = PQgetvalue(result, Int32(row), Int32(column))
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}

/// What the server said beside or in place of an answer.
struct ServerWords: Sendable, Equatable {
    /// `ERROR`, `FATAL`, `PANIC`, `WARNING` and so on, in English whatever the server's language.
    var severity: String
    /// Five characters.
    var state: String
    var message: String
    var detail = ""
    /// The server's own function that said it.
    var function = ""

    init(severity: String, state: String, message: String) {
        self.severity = severity
        self.state = state
        self.message = message
    }

    init(_ result: OpaquePointer?) {
        func text(_ field: UnsafePointer<CChar>?) -> String { field.map { String(cString: $0) } ?? "" }
        self.init(
            severity: text(belfry_pq_severity(result)), state: text(belfry_pq_state(result)),
            message: text(belfry_pq_message(result)))
        (detail, function) = (text(belfry_pq_detail(result)), text(belfry_pq_function(result)))
    }

    /// Whether it leaves in doubt that what was asked for was done. Whoever takes a new transaction's number is warned for tens of millions of
    /// them that numbers become few.
    var isDoubt: Bool {
        severity == "WARNING" && !["GetNewTransactionId", "GetNewMultiXactId"].contains(function)
    }

    /// Of `VACUUM (FULL, VERBOSE)`: whether it has copied rows that are no more, because somebody may still see them. Such a detail begins
    /// with their number in every language.
    var keepsOldRows: Bool { severity == "INFO" && (Int(detail.prefix { $0.isNumber }) ?? 0) > 0 }
}
