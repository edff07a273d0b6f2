import CivilTime
import Foundation
import Notices

/// What a long-running process says of itself on standard error: a readable line on a terminal, JSON otherwise.
///
/// One of the doors through which the program prints: what would steer a terminal is escaped here (`Visible`).
/// Saying something never waits, so that it may be said on any queue (see `LogWriter`).
struct RunLog: Sendable {
    enum Level: Int, Sendable, CaseIterable {
        case debug, info, warning, error

        var name: String { ["debug", "info", "warning", "error"][rawValue] }

        init?(_ name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }
    }

    private let least: Level
    private let shape: Shape
    private let writer: LogWriter

    fileprivate struct Shape: Sendable {
        let isTerminal: Bool
        let clock: @Sendable () -> Instant
    }

    init(least: Level, isTerminal: Bool, clock: @escaping @Sendable () -> Instant, to descriptor: Int32) {
        self.least = least
        let shape = Shape(isTerminal: isTerminal, clock: clock)
        self.shape = shape
        writer = LogWriter(to: descriptor) { count in
            shape.line(.warning, "nobody read this log for a while; lines were left out", [("lines", "\(count)")])
        }
    }

    /// Whether something of this level is said at all.
    func tells(_ level: Level) -> Bool { level.rawValue >= least.rawValue }

    func debug(_ message: String, _ fields: (String, String)...) { say(.debug, message, fields) }
    func info(_ message: String, _ fields: (String, String)...) { say(.info, message, fields) }
    func warning(_ message: String, _ fields: (String, String)...) { say(.warning, message, fields) }
    func error(_ message: String, _ fields: (String, String)...) { say(.error, message, fields) }

    func say(_ level: Level, _ message: String, _ fields: [(String, String)]) {
        guard tells(level) else { return }
        writer.write(shape.line(level, message, fields))
    }

    /// To be called last: what was said is written, if somebody reads it.
    func finish() { writer.flush(within: .milliseconds(300)) }
}

extension RunLog.Shape {
    func line(_ level: RunLog.Level, _ message: String, _ fields: [(String, String)]) -> String {
        isTerminal ? readable(level, message, fields) : json(level, message, fields)
    }

    private func readable(_ level: RunLog.Level, _ message: String, _ fields: [(String, String)]) -> String {
        let mark = level == .info || level == .debug ? "" : level.name + ": "
        let told = fields.map { "  \($0.0)=\($0.1)" }.joined()
        return "\(clock())  \(mark)\(Visible.line(message))\(Visible.line(told))"
    }

    private func json(_ level: RunLog.Level, _ message: String, _ fields: [(String, String)]) -> String {
        var line = ByteBuffer()
        line.append("{\"at\":")
        clock().writeJSON(into: &line)
        line.append(",\"level\":\"\(level.name)\",\"message\":")
        line.appendJSONString(message)
        for (name, value) in fields {
            line.append(",")
            line.appendJSONString(name)
            line.append(":")
            line.appendJSONString(value)
        }
        line.append("}")
        var shown = ByteBuffer()
        Visible.appendJSON(line.bytes, to: &shown)
        return shown.text
    }
}
