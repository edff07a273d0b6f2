/// The policies that come with Belfry (SPEC §15): the files in `Shipped`, built into the program.
package enum ShippedPolicies {
    package static let names = ["standard"]

    /// The document of a shipped policy; `nil` for a name that is none's.
    package static func text(of name: String) -> String? {
        let bytes: [UInt8]
        switch name {
        case "standard": bytes = PackageResources.standard_json
        default: return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
