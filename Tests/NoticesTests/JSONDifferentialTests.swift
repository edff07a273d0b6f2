import Foundation
import Notices
import Testing

/// The reader against Foundation's, on texts and on damaged texts: they accept the same, but for what the tape
/// is documented to be stricter in, and read the same out of it.
@Suite("JSON against Foundation's reader")
struct JSONDifferentialTests {
    @Test(arguments: 0..<20) func `both read the same`(seed: UInt64) {
        var source = RandomJSON(seed: seed)
        for _ in 0..<(isLong ? 5_000 : 500) {
            let text = source.value()
            compare(Array(text.utf8))
            for _ in 0..<3 { compare(source.mutated(text)) }
        }
    }

    /// Where a text may be refused that Foundation takes.
    private static let stricter = [
        "stands twice in one object", "NUL", "more than 64 characters", "nested deeper than",
    ]

    private func compare(_ bytes: [UInt8]) {
        let tape = JSONTape()
        let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        do throws(JSONError) {
            let node = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                try tape.parse(UnsafeRawBufferPointer(bytes))
            }
            guard let theirs else {
                if !Self.isBeyondDouble(node) { Issue.record("only we accept \(Self.shown(bytes))") }
                return
            }
            if !Self.isSame(node, theirs) { Issue.record("read differently: \(Self.shown(bytes))") }
        } catch {
            guard theirs != nil, !Self.stricter.contains(where: error.problem.contains) else { return }
            // A NUL byte makes Foundation guess at UTF-16; and it overlooks a comma after the last element.
            if bytes.contains(0) || Self.isAfterComma(error.column, bytes) { return }
            Issue.record("only Foundation accepts \(Self.shown(bytes)): \(error)")
        }
    }

    private static func isAfterComma(_ column: Int, _ bytes: [UInt8]) -> Bool {
        bytes.prefix(column - 1).last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ",")
    }

    private static func shown(_ bytes: [UInt8]) -> String { "\(String(decoding: bytes, as: UTF8.self)) \(bytes)" }

    /// Foundation refuses numbers that it has no type for.
    private static func isBeyondDouble(_ node: JSONNode) -> Bool {
        if node.isObject { return node.members.contains { isBeyondDouble($0.value) } }
        if node.isArray { return node.elements.contains { isBeyondDouble($0) } }
        return number(node).map { !$0.isFinite || ($0 == 0 && node.shown.contains { "123456789".contains($0) }) }
            ?? false
    }

    private static func number(_ node: JSONNode) -> Double? {
        guard node.string == nil, node.bool == nil, !node.isNull, !node.isObject, !node.isArray else { return nil }
        return Double(node.shown)
    }

    private static func isSame(_ node: JSONNode, _ other: Any) -> Bool {
        switch other {
        case is NSNull: return node.isNull
        case let text as String:
            guard let mine = node.string else { return false }
            return mine.unicodeScalars.elementsEqual(text.unicodeScalars)
        case let list as [Any]:
            let mine = Array(node.elements)
            return node.isArray && mine.count == list.count && zip(mine, list).allSatisfy(isSame)
        case let object as [String: Any]:
            guard node.isObject, node.count == object.count else { return false }
            return node.members.allSatisfy { member in object[member.key].map { isSame(member.value, $0) } ?? false }
        case let number as NSNumber:
            if let truth = node.bool { return truth == number.boolValue && "\(type(of: other))".contains("Bool") }
            guard let mine = Self.number(node) else { return false }
            // Foundation goes through a decimal type, which costs the last digits.
            let isNear = abs(mine - number.doubleValue) <= abs(mine) * 1e-12
            return isNear && (node.integer == nil || node.integer == number.intValue)
        default: return false
        }
    }
}
