import Notices
import Testing

/// Prints what reading and writing a fact costs; asserts nothing, for a machine may be busy. `ops/test --long`, and
/// for figures that mean something `swift test -c release`.
@Suite("Speed of the contract", .serialized)
struct SpeedFigures {
    @Test(.enabled(if: isLong, "ops/test --long prints them"))
    func `nanoseconds for one`() throws {
        let lines = [
            ("small fact", #"{"type":"checked_in","user":"anna","data":{"goal":"g1"}}"#),
            (
                "fact with id and at",
                #"{"type":"points_earned","user":"anna","id":"k-18342","at":"2026-03-02T14:00:00.000Z","#
                    + #""data":{"points":25,"subject":"child:k1"}}"#
            ),
            (
                "message with text",
                #"{"type":"message_received","user":"anna","data":{"conversation":"c1","message":"m1","#
                    + #""sender":"bo","text":"Could you have a look at the plan before noon?"}}"#
            ),
            (
                "whole preferences",
                FactExample.all.first { $0.type == "preferences_changed" }.map { $0.line($0.fields) } ?? ""
            ),
        ]
        let reader = newReader()
        for (name, line) in lines {
            let utf8 = Array(line.utf8)
            let fact = try utf8.withUnsafeBytes { try reader.read($0) }
            let payload = fact.payload
            let bytes = payload.bytes
            var buffer = ByteBuffer()
            let figures = [
                ("read", nanoseconds { _ = try? utf8.withUnsafeBytes { try reader.read($0) } }),
                ("reduce", nanoseconds { _ = payload.recordable }),
                (
                    "encode",
                    nanoseconds {
                        buffer.removeAll(); payload.encode(into: &buffer)
                    }
                ),
                (
                    "decode",
                    nanoseconds { _ = try? bytes.withUnsafeBytes { try Payload.decode(payload.type.number, $0) } }
                ),
                (
                    "write JSON",
                    nanoseconds {
                        buffer.removeAll(); payload.writeJSON(into: &buffer)
                    }
                ),
            ]
            let columns = figures.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            print("\(name), \(utf8.count) bytes of JSON, \(bytes.count) of payload: \(columns)")
        }
    }

    /// The best of some rounds, for everything that disturbs makes it slower.
    private func nanoseconds(_ work: () -> Void) -> Int64 {
        let repeats: Int64 = 5_000
        let clock = ContinuousClock()
        let rounds = (0..<7).map { _ in clock.measure { for _ in 0..<repeats { work() } } }
        return Int64((rounds.min() ?? .zero) / .nanoseconds(1)) / repeats
    }
}
