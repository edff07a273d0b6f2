import CivilTime
import Foundation
import Notices

/// What a long-running process says of itself on standard error: a readable line on a terminal, JSON otherwise.
struct RunLog: Sendable {
    enum Level: Int, Sendable, CaseIterable {
        case debug, info, warning, error

        var name: String { ["debug", "info", "warning", "error"][rawValue] }

        init?(_ name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }
    }

    let least: Level
    let isTerminal: Bool
    let clock: @Sendable () -> Instant

    func debug(_ message: String, _ fields: (String, String)...) { say(.debug, message, fields) }
    func info(_ message: String, _ fields: (String, String)...) { say(.info, message, fields) }
    func warning(_ message: String, _ fields: (String, String)...) { say(.warning, message, fields) }
    func error(_ message: String, _ fields: (String, String)...) { say(.error, message, fields) }

    func say(_ level: Level, _ message: String, _ fields: [(String, String)]) {
        guard level.rawValue >= least.rawValue else { return }
        complain(isTerminal ? readable(level, message, fields) : json(level, message, fields))
    }

    private func readable(_ level: Level, _ message: String, _ fields: [(String, String)]) -> String {
        let mark = level == .info || level == .debug ? "" : level.name + ": "
        let told = fields.map { "  \($0.0)=\($0.1)" }.joined()
        return "\(clock())  \(mark)\(Plain.line(message))\(Plain.line(told))"
    }

    private func json(_ level: Level, _ message: String, _ fields: [(String, String)]) -> String {
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
        return line.text
    }
}
