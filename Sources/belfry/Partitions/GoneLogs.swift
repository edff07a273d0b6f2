import Journal

/// Logs of several that are gone, or whose disk is not mounted. Whoever opened one would begin it anew, where nobody has ever opted
/// out (`G3`, `G6`).
extension DataDirectory {
    /// That none of them is gone. It is asked before any is opened.
    func expectNoneGone(on disk: any Disk) throws(Failure) {
        for name in allNames { if let failure = try gone(name, on: disk) { throw failure } }
    }

    /// What to say of a log that is gone; `nil` for one that is there, and for one that a first start has still to make.
    ///
    /// A first start opens all of them before it writes to any.
    func gone(_ name: LogName, on disk: any Disk) throws(Failure) -> Failure? {
        guard partitions != nil, !isCopy else { return nil }
        do throws(JournalError) {
            guard try !wasOpened(name, on: disk) else { return nil }
            for other in allNames where other != name {
                guard let reader = try begun(other, on: disk) else { continue }
                let isOfAll = name == .everyone || other == .everyone
                if !isOfAll, try reader.index().people.count == 0 { continue }
                let evidence = isOfAll ? "is there" : "holds people"
                return Failure(
                    .damaged,
                    "there is no log in \(log(name)) any more, or its disk is not mounted: \(other.told) \(evidence), so no first start was cut off here. Nothing was changed. Mount the disk, or put back the newest copy of \(log(name))"
                )
            }
            return nil
        } catch {
            throw Failure(error)
        }
    }

    /// What to say where a log is not there that is one of several: nobody is to begin it by hand. `nil` for any other.
    static func absence(of path: String, on disk: any Disk) throws(Failure) -> Failure? {
        guard let town = try DataDirectory(path, on: disk).around(on: disk), !town.isCopy,
            let name = town.allNames.first(where: { $0.text == DiskPath.name(of: path) })
        else { return nil }
        if let failure = try town.gone(name, on: disk) { return failure }
        return Failure(
            .environment,
            "there is no log in \(path). Where a first start was cut off, `belfry run --data \(town.path)` makes what is missing; what was there before comes back from a backup alone"
        )
    }

    /// Whether a writer ever had it: each leaves its lock behind, also where it wrote nothing.
    private func wasOpened(_ name: LogName, on disk: any Disk) throws(JournalError) -> Bool {
        let lock = DiskPath.join(log(name), LogFile.lock)
        if try onDisk({ () throws(DiskError) in try disk.status(of: lock) }) != nil { return true }
        return try begun(name, on: disk) != nil
    }

    /// The log, where it holds anything.
    private func begun(_ name: LogName, on disk: any Disk) throws(JournalError) -> LogReader? {
        let reader: LogReader
        do throws(JournalError) { reader = try LogReader(log(name), on: disk) } catch .noLog { return nil }
        return reader.isEmpty ? nil : reader
    }
}
