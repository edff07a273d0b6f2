import CivilTime
import Console
import Delivery
import Journal

/// What persons' tokens are signed with, and the file beside the log that holds which of them are revoked.
enum PersonTokenFile {
    private static let bytesMax = 64 << 20

    /// - Parameter directory: the log's; the caller holds it.
    static func desk(
        _ directory: String, _ identity: LogIdentity, _ world: World
    ) throws(Failure) -> PersonTokenDesk {
        let secrets: [[UInt8]]
        do throws(SendersError) { secrets = try OwnSecret.readOrMake(in: directory) } catch {
            throw Failure(.environment, "\(error)")
        }
        let path = DiskPath.join(directory, LogFile.revokedTokens)
        let disk = world.disk
        let revoked = try revoked(path, disk)
        return PersonTokenDesk(
            PersonTokens(secrets: secrets, log: identity.words), revoked: revoked, clock: world.clock
        ) { bytes in
            do throws(DiskError) { try disk.writeAtomically(path, bytes) } catch { return "\(error)" }
            return nil
        }
    }

    /// One that cannot be read stops the start: it would let in whom it had shut out.
    private static func revoked(_ path: String, _ disk: any Disk) throws(Failure) -> RevokedTokens {
        let bytes: [UInt8]
        do throws(DiskError) {
            guard try disk.status(of: path) != nil else { return RevokedTokens() }
            bytes = try disk.contents(of: path, limit: bytesMax)
        } catch {
            throw Failure(.environment, "\(error)")
        }
        do throws(RevokedTokens.Unreadable) { return try RevokedTokens(bytes) } catch {
            throw Failure(
                .damaged,
                "\(path) is damaged (\(error)); put back the copy of your backup",
                further: [
                    "Without it every token of a person that was revoked would be valid again. Where there is no copy, remove it "
                        + "and put another secret into \(OwnSecret.name), which ends all such tokens, and links in mails"
                ])
        }
    }
}
