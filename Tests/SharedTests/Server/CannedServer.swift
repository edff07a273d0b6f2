import Foundation

/// What looks like a PostgreSQL server of some version to one client, and answers every question with the same row: that of
/// `PostgresLog`'s first question, with a number for the backend that need not be the one it gave.
final class CannedServer: Sendable {
    let url: String
    private let folder: String
    private let listener: Int32

    /// - Parameter version: `nil` for one that takes the connection and says nothing.
    init(version: String?, ownNumber: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        url = "postgres://belfry@/x?host=\(folder)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = "\(folder)/.s.PGSQL.5432"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 4) == 0 else {
            throw PostgresServer.Failure(words: "cannot listen at \(path)")
        }
        Thread.detachNewThread { [listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                if let version { Self.serve(client, version, ownNumber) } else { Self.swallow(client) }
                close(client)
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func swallow(_ client: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(client, &buffer, buffer.count) > 0 {}
    }

    private static func serve(_ client: Int32, _ version: String, _ ownNumber: Int) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard read(client, &buffer, buffer.count) > 0 else { return }
        let ready = message("Z", [UInt8(ascii: "I")])
        tell(
            client,
            message("R", word(0)) + message("S", Array("server_version\0\(version)\0".utf8))
                + message("K", word(7) + word(0)) + ready)
        while read(client, &buffer, buffer.count) > 0 {
            let fields = ["\(ownNumber)", "f", "f", "x", "t", "t", "t", "t", ""]
            var description = half(fields.count)
            var row = half(fields.count)
            for field in fields {
                description += [0] + word(0) + half(0) + word(25) + half(-1) + word(-1) + half(0)
                row += word(field.utf8.count) + Array(field.utf8)
            }
            tell(
                client,
                message("T", description) + message("D", row) + message("C", Array("SELECT 1\0".utf8)) + ready)
        }
    }

    private static func tell(_ client: Int32, _ bytes: [UInt8]) {
        // Who was told enough has gone by now, which is no reason to end this process.
        _ = Foundation.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func message(_ type: Character, _ body: [UInt8]) -> [UInt8] {
        Array(String(type).utf8) + word(body.count + 4) + body
    }

    private static func word(_ value: Int) -> [UInt8] { withUnsafeBytes(of: Int32(value).bigEndian) { Array($0) } }
    private static func half(_ value: Int) -> [UInt8] { withUnsafeBytes(of: Int16(value).bigEndian) { Array($0) } }
}
