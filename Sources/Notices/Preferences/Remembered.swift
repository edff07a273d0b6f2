internal import Synchronization

/// What was worked out of something, remembered: asked for the same again, it is at hand.
///
/// It changes no answer, only how long one takes. It is emptied when it is full, so that it does not grow with people, and
/// what is large is worked out each time.
final class Remembered<Key: Rememberable, Value: Sendable>: Sendable {
    private let known = Mutex<[Key: Value]>([:])
    private let most: Int

    init(most: Int) { self.most = most }

    func value(of key: Key, else work: () -> Value) -> Value {
        guard key.isSmall else { return work() }
        if let value = known.withLock({ $0[key] }) { return value }
        let value = work()
        known.withLock { known in
            if known.count >= most { known.removeAll(keepingCapacity: true) }
            known[key] = value
        }
        return value
    }
}

protocol Rememberable: Hashable, Sendable {
    /// Many of them fit into memory.
    var isSmall: Bool { get }
}

/// What somebody's preferences hang on, beside the policy.
struct Stored: Rememberable {
    let differences: JSONValue
    let saidYes: Bool

    /// Of somebody of whom nothing is known.
    static let nothing = Stored(differences: .emptyObject, saidYes: false)

    func hash(into hasher: inout Hasher) {
        hasher.combine(differences.keyedHash)
        hasher.combine(saidYes)
    }

    /// It has few parts, and short ones.
    var isSmall: Bool { differences.takesLess(than: 2_048) }
}

extension JSONValue {
    /// Of its parts in their order: nobody can choose documents that collide, and it costs less than to have the standard
    /// library hash each part.
    fileprivate var keyedHash: UInt64 {
        switch self {
        case .object(let members):
            members.indices.reduce(1) {
                Self.next(Self.next($0, Self.hash(members[$1].key)), members[$1].value.keyedHash)
            }
        case .array(let elements): elements.indices.reduce(2) { Self.next($0, elements[$1].keyedHash) }
        case .string(let text): Self.next(3, Self.hash(text))
        case .number(let text): Self.next(4, Self.hash(text))
        case .bool(let value): value ? 5 : 6
        case .null: 7
        }
    }

    private static func next(_ hash: UInt64, _ part: UInt64) -> UInt64 {
        let next = (hash ^ part) &* 0x9E37_79B9_7F4A_7C15
        return next ^ next >> 32
    }

    private static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { KeyHash.ofThisProcess(UnsafeRawBufferPointer($0)) }
    }

    /// Whether its texts and numbers, and 16 bytes for each of its parts, come to less.
    func takesLess(than bytes: Int) -> Bool {
        var room = bytes
        return takesOnly(&room)
    }

    private func takesOnly(_ room: inout Int) -> Bool {
        room -= 16
        switch self {
        case .object(let members):
            for member in members {
                room -= member.key.utf8.count
                guard room > 0, member.value.takesOnly(&room) else { return false }
            }
        case .array(let elements): for element in elements { guard element.takesOnly(&room) else { return false } }
        case .string(let text), .number(let text): room -= text.utf8.count
        case .bool, .null: break
        }
        return room > 0
    }
}
