internal import Hashing

/// The secret that the worker makes for itself beside its log: links in mails and codes for phones are made with it. Were it
/// lost, links in old mails would no longer work; so it belongs into the backup of the log.
public enum OwnSecret {
    public static let name = "senders.secret"

    private static let bytes = 32

    /// Reads it, the newest first, or makes the first one.
    public static func readOrMake(in directory: String) throws(SendersError) -> [[UInt8]] {
        let path = "\(directory)/\(name)"
        do throws(SystemFailure) {
            _ = try SystemFiles.createSecret(path, Array((Hexadecimal.text(randomBytes(bytes)[...]) + "\n").utf8))
        } catch {
            throw SendersError("", "names no secret_file, and none can be made: cannot \(error)")
        }
        var files = NamedSecrets()
        do throws(SendersError) { return try files.signingSecrets(path, for: "secret_file") } catch {
            throw SendersError(
                error.path,
                "\(error.problem). Put back the one of the log's backup. Without the file another is made: then tokens of persons, and links in mails that were sent, are dead",
                cure: error.cure)
        }
    }
}
