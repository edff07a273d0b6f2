/// Paths as text. Nothing here asks the disk.
public enum DiskPath {
    /// The directory that holds the last name of a path: `.` for a bare name, `/` for the root and what is in it.
    public static func parent(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path[...])
        guard let slash = trimmed.lastIndex(of: "/") else { return trimmed.isEmpty && !path.isEmpty ? "/" : "." }
        let parent = withoutTrailingSlashes(trimmed[..<slash])
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The last name of a path; empty for the root.
    public static func name(of path: String) -> String {
        let trimmed = withoutTrailingSlashes(path[...])
        guard let slash = trimmed.lastIndex(of: "/") else { return String(trimmed) }
        return String(trimmed[trimmed.index(after: slash)...])
    }

    /// A name inside a directory.
    public static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    private static func withoutTrailingSlashes(_ path: Substring) -> Substring {
        var path = path
        while path.last == "/" { path.removeLast() }
        return path
    }
}
