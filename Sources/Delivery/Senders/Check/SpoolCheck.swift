/// Whether jobs can be put into a directory. Nothing is made and nothing is locked: a worker may be at it.
enum SpoolCheck {
    /// What is seen of it.
    static func words(_ directory: String, at path: String) throws(SendersError) -> String {
        do throws(SystemFailure) {
            if try SystemFiles.mayWrite(into: directory) { return "jobs are put into \(directory), a file each" }
            let parent = SystemFiles.parent(of: directory)
            guard try SystemFiles.mayWrite(into: parent) else {
                throw SystemFailure("find \(parent)", SystemFiles.missing)
            }
            return "the worker makes \(directory), and puts jobs into it, a file each"
        } catch {
            throw SendersError(path, "is of no use: cannot \(error)")
        }
    }
}
