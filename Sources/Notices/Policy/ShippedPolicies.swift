/// The policies that come with Belfry (SPEC §15): the files in `Shipped`, built into the program.
public enum ShippedPolicies {
    private enum Name: String, CaseIterable {
        case standard, coachme, screentime, messageai, microcommit

        var document: [UInt8] {
            switch self {
            case .standard: PackageResources.standard_json
            case .coachme: PackageResources.coachme_json
            case .screentime: PackageResources.screentime_json
            case .messageai: PackageResources.messageai_json
            case .microcommit: PackageResources.microcommit_json
            }
        }
    }

    public static let names = Name.allCases.map(\.rawValue)

    /// The document of a shipped policy; `nil` for a name that is none's.
    public static func text(of name: String) -> String? {
        Name(rawValue: name).map { String(decoding: $0.document, as: UTF8.self) }
    }
}
