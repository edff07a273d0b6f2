import Foundation
import Notices
import Testing

/// The committed contract, `events/catalog`.
enum CatalogFolder {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let url = repository.appending(path: "events/catalog")
    static let proto = url.appending(path: "belfry.proto")

    static func goldens() throws -> [CommittedGolden] {
        try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map(CommittedGolden.init)
    }
}

/// One pair of files of the catalog, read without the code under test.
struct CommittedGolden: CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let json: String
    let type: String
    let number: Int
    let version: Int

    init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        bytes = Array(try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("bin")))
        json = try String(contentsOf: file, encoding: .utf8)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
        type = object["type"] as? String ?? ""
        number = object["number"] as? Int ?? 0
        version = object["version"] as? Int ?? 0
    }

    var testDescription: String { name }

    func payload() throws -> Payload {
        try bytes.withUnsafeBytes { bytes throws in
            guard let payload = try Payload.decode(number, bytes) else { throw FieldError("no type \(number)") }
            return payload
        }
    }

    /// The `data` object, read as the log prints it.
    func readJSON() throws -> Payload {
        let root = try JSONTape().parse(json)
        return try Payload.read(logged: root["data"], of: type)
    }
}
