import Console
import Delivery

/// The file with the token that whoever comes over TCP must show.
struct TokenFile {
    let bearer: Bearer
    /// What is to be said of who else may read or change it.
    let warning: String?

    private static let bytesMax = 64 << 10
    /// One that nobody guesses.
    private static let charactersMin = 32

    /// Why it is no token, in words that name the file.
    struct Problem: Error {
        let words: String
    }

    init(_ path: String) throws(Problem) {
        let file: SecretFile
        do throws(SecretFileError) { file = try SecretFile(path, bytesMax: Self.bytesMax) } catch {
            throw Problem(words: "\(error)")
        }
        do throws(Bearer.Problem) { bearer = try Bearer(file.bytes) } catch {
            throw Problem(words: "\(path): \(error)")
        }
        let characters = file.bytes.count { $0 > 0x20 }
        guard characters >= Self.charactersMin else {
            throw Problem(
                words:
                    "\(path): the token has \(characters) characters, and one that nobody guesses has \(Self.charactersMin) or more. `openssl rand -hex 32` makes one"
            )
        }
        warning = file.warning
    }
}
