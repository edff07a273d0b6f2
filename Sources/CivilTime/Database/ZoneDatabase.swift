import Synchronization

/// The tz database of this machine (T1). Each zone is read once and shared by all callers.
///
/// Whoever composes the program says where it lies; the usual places are listed here, `TZDIR` is not read.
public final class ZoneDatabase: Sendable {
    /// Where it was found.
    public var directory: String { files.path }
    /// What the log records when a worker starts (T1): `2025b`.
    public let version: String

    private let files: ZoneDirectory
    private let memory = Mutex(Memory())

    /// Where systems keep the database.
    public static let usualDirectories = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]

    /// Opens the first of some directories that holds a tz database.
    public init(searching directories: [String] = ZoneDatabase.usualDirectories) throws(ZoneError) {
        for directory in directories {
            let files = ZoneDirectory(path: directory)
            if let version = DatabaseVersion.of(files) {
                self.files = files
                self.version = version
                return
            }
        }
        throw .noDatabase(searched: directories)
    }

    public convenience init(directory: String) throws(ZoneError) {
        try self.init(searching: [directory])
    }

    /// The rules of a zone. Aliases keep the name they were asked by.
    public func zone(named name: String) throws(ZoneError) -> ZoneRules {
        if let known = memory.withLock({ $0.zones[name] }) { return known }
        guard let checked = ZoneName(name) else {
            throw .badName(name, nearest: NearestName.of(String(name.prefix(ZoneName.longest)), among: names))
        }
        let read = try read(checked)
        // Two threads may have read it at once; both get the zone that was kept first.
        return memory.withLock { memory in
            if let known = memory.zones[name] { return known }
            memory.zones[name] = read
            return read
        }
    }

    /// What is wrong with a zone's name, as a sentence; `nil` for the name of a zone that can be used.
    public func problem(with name: String) -> String? {
        do {
            _ = try zone(named: name)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The names of all usable zones, aliases included, sorted.
    public var names: [String] {
        if let known = memory.withLock({ $0.names }) { return known }
        let names = files.zoneNames()
        memory.withLock { $0.names = names }
        return names
    }

    private func read(_ name: ZoneName) throws(ZoneError) -> ZoneRules {
        let path = "\(files.path)/\(name.text)"
        let bytes: [UInt8]
        do {
            bytes = try files.contents(of: name.text)
        } catch {
            guard error.isAbsence else { throw .unreadable(name.text, path: path, code: error.code) }
            throw unknown(name)
        }
        do {
            return try ZoneRules(name: name.text, tzif: bytes)
        } catch {
            // A table or a list that lies among the zones is no damaged zone.
            if error == .notTZif { throw unknown(name) }
            throw .damaged(name.text, path: path, error)
        }
    }

    private func unknown(_ name: ZoneName) -> ZoneError {
        .unknown(name.text, version: version, nearest: NearestName.of(name.text, among: names))
    }

    private struct Memory {
        var zones: [String: ZoneRules] = [:]
        var names: [String]?
    }
}
