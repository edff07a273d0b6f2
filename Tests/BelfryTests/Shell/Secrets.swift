import Foundation
import Testing

/// What of a person may be read nowhere any more (E1), and where it still is.
struct Secrets {
    let words: [String]

    init(_ words: [String]) { self.words = words }

    /// In every encoding that Belfry, `pg_dump` or a page could have it in.
    func found(in bytes: Data, _ place: String) -> [String] {
        words.filter { word in
            let raw = Data(word.utf8)
            let forms = [
                raw, Data(raw.base64EncodedString().prefix(raw.count * 8 / 6 - 1).utf8),
                Data(raw.map { String(format: "%02x", $0) }.joined().utf8),
                word.data(using: .utf16LittleEndian) ?? raw,
            ]
            return forms.contains { bytes.range(of: $0) != nil }
        }.map { "\($0) in \(place)" }
    }

    /// In all files below a directory. One that cannot be read has not been looked at, and is a failure; unless it has gone meanwhile,
    /// or is none, such as a socket.
    func found(
        under directory: String, of shell: Shell, mayBeEmpty: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        let files = FileManager.default
        var found: [String] = []
        do {
            let names = try files.subpathsOfDirectory(atPath: shell.path(directory))
            #expect(mayBeEmpty || !names.isEmpty, "nothing is in \(directory)", sourceLocation: sourceLocation)
            for name in names {
                let path = shell.path("\(directory)/\(name)")
                let type = try? files.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                guard type == .typeRegular else { continue }
                do {
                    found += self.found(in: Data(try shell.read("\(directory)/\(name)")), "\(directory)/\(name)")
                } catch {
                    if files.fileExists(atPath: path) { throw error }
                }
            }
        } catch {
            Issue.record("\(directory) cannot be looked through: \(error)", sourceLocation: sourceLocation)
        }
        return found
    }
}
