internal import Notices
internal import Synchronization

/// The ids of a log's people, by the numbers it gave them. One writer adds to it; any thread may ask.
///
/// Whoever holds a copy of the log's people shares it: numbers are for ever, and an id is only ever forgotten.
public final class LogNames: Sendable {
    private let roster: Mutex<Roster>

    init(_ roster: consuming Roster) { self.roster = Mutex(roster) }

    var parts: (text: [UInt8], starts: [UInt64], slots: [UInt32]) { roster.withLock { $0.parts } }
    var count: Int { roster.withLock { $0.count } }

    public subscript(number: UInt32) -> String? {
        roster.withLock { number < $0.count ? $0[Int(number)] : nil }
    }

    public func number(of id: String) -> UInt32? { roster.withLock { $0.number(of: id) } }

    func number(of id: UnsafeRawBufferPointer) -> UInt32? { roster.withLock { $0.number(of: id) } }

    /// - Parameter last: the number that was asked for last.
    func numberOrAdd(_ id: UnsafeRawBufferPointer, after last: UInt32) -> (number: UInt32, isNew: Bool) {
        roster.withLock { roster in
            // A crowd that is due at once comes in the order of its numbers, up or down.
            for step in -1...1 {
                let guess = UInt32(truncatingIfNeeded: Int(last) + step)
                if roster.holds(id, at: guess) { return (guess, false) }
            }
            return roster.numberOrAdd(id)
        }
    }

    func addErased() { roster.withLock { _ = $0.addErased() } }

    func erase(_ number: UInt32) { roster.withLock { $0.erase(Int(number)) } }

    func isErased(_ number: UInt32) -> Bool { roster.withLock { $0.isErased(number) } }

    /// Those whom the log has erased.
    var erased: [UInt32] {
        roster.withLock { roster in
            roster.erasedCount == 0 ? [] : (0..<UInt32(roster.count)).filter { roster.isErased($0) }
        }
    }
}
