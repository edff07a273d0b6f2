/// The policies that come with Belfry (SPEC §15): the files in `Shipped`, built into the program.
public enum ShippedPolicies {
    public static let names = ["standard", "coachme", "screentime", "messageai", "microcommit"]

    /// The document of a shipped policy; `nil` for a name that is none's.
    public static func text(of name: String) -> String? {
        let bytes: [UInt8]
        switch name {
        case "standard": bytes = PackageResources.standard_json
        case "coachme": bytes = PackageResources.coachme_json
        case "screentime": bytes = PackageResources.screentime_json
        case "messageai": bytes = PackageResources.messageai_json
        case "microcommit": bytes = PackageResources.microcommit_json
        default: return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
