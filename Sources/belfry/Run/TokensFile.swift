import Console
import Delivery
import Foundation
import Journal

/// The file with the operators' tokens, for the worker and for `belfry token`.
enum TokensFile {
    private static let bytesMax = 1 << 20

    static func read(_ path: String) throws(Failure) -> (tokens: OperatorTokens, warning: String?) {
        let file: SecretFile
        do throws(SecretFileError) { file = try SecretFile(path, bytesMax: bytesMax) } catch {
            throw Failure(.badInput, "--tokens: \(error)")
        }
        do throws(OperatorTokens.Problem) { return (try OperatorTokens(file.bytes), file.warning) } catch {
            throw Failure(.badInput, "--tokens: \(path): \(error)")
        }
    }

    /// Changes it in one step, so that whoever reads it meanwhile sees the old one or the new one. Of two that change it at
    /// once the second waits.
    static func change(
        _ path: String, mayMake: Bool, _ world: World, _ change: (inout OperatorTokens) throws(Failure) -> Void
    ) throws(Failure) {
        // A link is followed: what is replaced is the file, and not the link to it.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // The directory, since the file itself is replaced.
        let directory = DiskPath.parent(of: path)
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0, flock(lock, LOCK_EX) == 0 else {
            throw Failure(.environment, "cannot lock \(directory): \(String(cString: strerror(errno)))")
        }
        defer { close(lock) }
        let isThere = access(path, F_OK) == 0
        guard isThere || mayMake else { throw Failure(.badInput, "--tokens: there is no file \(path)") }
        var tokens = isThere ? try read(path).tokens : OperatorTokens()
        try change(&tokens)
        let mask = umask(0o077)
        defer { umask(mask) }
        let draft = path + ".new"
        do throws(DiskError) { try world.disk.writeAtomically(draft, Array(tokens.text.utf8)) } catch {
            throw Failure(.environment, "\(error)")
        }
        guard !isThere || isGivenAccess(of: path, draft) else {
            try? world.disk.remove(draft)
            throw Failure(
                .environment,
                "\(path) was not changed: its owner and group could not be kept, and the worker might not be able to read it. Run this as root"
            )
        }
        do throws(DiskError) {
            try world.disk.rename(draft, to: path)
            try world.disk.syncDirectory(directory)
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    /// Gives it the owner, the group and the mode of another: a worker that could read the one can read what takes its place. Whether
    /// that could be done.
    private static func isGivenAccess(of old: String, _ new: String) -> Bool {
        var status = stat()
        // In this order: a change of the owner takes some of the mode away.
        return stat(old, &status) == 0 && chown(new, status.st_uid, status.st_gid) == 0
            && chmod(new, status.st_mode & 0o7777) == 0
    }
}
