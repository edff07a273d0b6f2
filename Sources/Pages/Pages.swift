import CPages

/// One file as it is served to a browser.
public struct PageFile: Sendable {
    /// What the file is for, which decides the headers it is served with.
    public enum Role: Sendable, Equatable {
        /// The page of the console, the same at every address of a view (V1).
        case console
        /// The settings page, which may stand in a frame (V3).
        case settings
        /// A script, a style sheet, a picture.
        case asset
    }

    public let bytes: [UInt8]
    /// As a `Content-Type` says it, with its character set.
    public let mediaType: String
    public let role: Role
}

/// The console and the settings page, which are part of the binary: nothing is read from disk, and no other host is
/// asked.
public enum Pages {
    /// The file at an address, by its path alone; `nil` where there is no page.
    ///
    /// Whatever stands behind the name of a view is the view's own affair: `/people/anna` is the console's page too.
    public static func file(at path: String) -> PageFile? {
        guard path.first == "/" else { return nil }
        let steps = path.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        switch steps.first ?? "" {
        case "" where steps.count > 1: return nil
        case "me": return steps.count == 1 ? files["me.html"] : nil
        case "assets": return files[String(path.dropFirst())]
        case let view where views.contains(String(view)): return files["console.html"]
        default: return nil
        }
    }

    /// The first word of every address that the console has.
    public static let views: Set<String> = ["", "now", "people", "agenda", "policy", "numbers", "log"]

    /// What is served, by its path within `Sources/Pages`: what was embedded, the two pages with their heads, and the script of
    /// each. The modules that it is made of are served as well, for who wants to read one.
    static let files: [String: PageFile] = {
        var files = embedded
        for name in ["console", "me"] {
            files["assets/\(name).js"] = PageScript(of: name, among: embedded).file
            if let page = files["\(name).html"] { files["\(name).html"] = PageHead(of: name).filled(into: page) }
        }
        return files
    }()

    static let embedded: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        // The table is constant, its last entry has no path, and each text ends with a NUL: nothing is read beyond them.
        var entry = belfry_pages()!
        while let path = entry.pointee.path, let text = entry.pointee.text {
            let name = String(cString: path)
            files[name] = PageFile(
                bytes: Array(String(cString: text).utf8), mediaType: mediaType(of: name), role: role(of: name))
            entry += 1
        }
        return files
    }()

    private static func role(of name: String) -> PageFile.Role {
        switch name {
        case "console.html": .console
        case "me.html": .settings
        default: .asset
        }
    }

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: preconditionFailure("no page is a file such as \(name)")
        }
    }
}
