/// Why a zone, or the whole tz database, cannot be read.
public enum ZoneError: Error, Equatable, Sendable {
    case noDatabase(searched: [String])
    case badName(String, nearest: String?)
    case unknown(String, version: String, nearest: String?)
    case unreadable(String, path: String, code: Int32)
    case damaged(String, path: String, TZifError)
}

extension ZoneError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noDatabase(let searched):
            "no tz database at \(searched.joined(separator: ", ")): install the tzdata package."
        case .badName(let name, let nearest):
            "\"\(name.prefix(ZoneName.longest))\" is not the name of a time zone; " + Self.advice(nearest)
        case .unknown(let name, let version, let nearest):
            "\"\(name)\" is not a time zone of this machine's tz database \(version); "
                + Self.advice(nearest)
        case .unreadable(let name, let path, let code):
            "the time zone \(name) cannot be read from \(path) (error \(code)); check that the file may be read."
        case .damaged(let name, let path, let error):
            "the time zone \(name) in \(path) cannot be used: \(error)"
        }
    }

    private static func advice(_ nearest: String?) -> String {
        nearest.map { "did you mean \($0)?" } ?? "write one such as Europe/Paris."
    }
}
