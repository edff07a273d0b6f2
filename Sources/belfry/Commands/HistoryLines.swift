import CivilTime
import Notices

/// The lines of a history, each read as a fact. To be used by one thread.
struct HistoryLines: ~Copyable {
    enum Reading: Sendable {
        case fact(Fact)
        /// What is wrong with the line.
        case refused(String)
    }

    struct Line: Sendable {
        let number: Int
        /// How far the reader has come in the input with it.
        let bytesTaken: Int
        let reading: Reading
    }

    /// Some lines, and what comes behind them.
    struct Block: Sendable {
        enum End: Sendable { case ofInput, failure(Failure) }

        var lines: [Line] = []
        /// `nil` where there may be more.
        var end: End?
    }

    private var lines: LineReader
    private let facts: FactReader

    private static let lineBytes = 1 << 20
    private static let blockLines = 256

    init(descriptor: Int32, _ zones: ZoneDatabase) {
        lines = LineReader(descriptor: descriptor, bytesMax: Self.lineBytes)
        facts = FactReader(zoneProblem: zones.problem(with:))
    }

    /// The next lines, as many as have come: whoever sends line by line is not kept waiting for a whole block.
    mutating func next() -> Block {
        var block = Block()
        do throws(Failure) {
            repeat {
                guard let line = try lines.next() else {
                    block.end = .ofInput
                    return block
                }
                if let (number, reading) = read(line) {
                    block.lines.append(Line(number: number, bytesTaken: lines.bytesTaken, reading: reading))
                }
            } while block.lines.count < Self.blockLines && (block.lines.isEmpty || lines.hasLine)
        } catch {
            block.end = .failure(error)
        }
        return block
    }

    /// `nil` for an empty line.
    private func read(_ line: LineReader.Line) -> (number: Int, reading: Reading)? {
        switch line {
        case .tooLong(let number): return (number, .refused("the line is longer than \(Self.lineBytes) bytes"))
        case .whole(let number, let bytes):
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
            do throws(Refusal) { return (number, .fact(try facts.read(bytes))) } catch {
                return (number, .refused("\(error)"))
            }
        }
    }
}

extension HistoryLines {
    /// Lines that are read by whoever asks for them.
    final class Alone {
        private var lines: HistoryLines

        init(descriptor: Int32, _ zones: ZoneDatabase) { lines = HistoryLines(descriptor: descriptor, zones) }

        func next() -> Block { lines.next() }
    }
}
