import Foundation
import Notices
import Testing

/// Not a test but the workings of `ops/catalog`: writes what the catalog lacks.
@Suite("Writing the catalog")
struct CatalogWriting {
    static let isAsked = ProcessInfo.processInfo.environment["BELFRY_WRITE_CATALOG"] == "1"

    /// The `.proto` follows the code; golden files are written once and then only read.
    @Test(.enabled(if: isAsked, "ops/catalog sets BELFRY_WRITE_CATALOG=1"))
    func `the catalog is complete`() throws {
        try FileManager.default.createDirectory(at: CatalogFolder.url, withIntermediateDirectories: true)
        let text = ProtoFile.text()
        if (try? String(contentsOf: CatalogFolder.proto, encoding: .utf8)) != text {
            try Data(text.utf8).write(to: CatalogFolder.proto, options: .atomic)
            print("wrote belfry.proto")
        }
        for payload in Payload.all {
            let golden = GoldenFile(payload.example(.allFields))
            try writeIfMissing(golden.name + ".json", Data(golden.json.utf8))
            try writeIfMissing(golden.name + ".bin", Data(golden.bytes))
        }
    }

    private func writeIfMissing(_ name: String, _ contents: Data) throws {
        let file = CatalogFolder.url.appending(path: name)
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        try contents.write(to: file, options: .withoutOverwriting)
        print("wrote \(name)")
    }
}
