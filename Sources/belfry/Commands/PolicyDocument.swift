import CivilTime
import Foundation
import Notices

/// A policy somebody named: one that comes with Belfry, or a file.
struct PolicyDocument {
    /// Why it may not be adopted: all that cannot be read, or else all that contradicts itself.
    struct Refusals: Error {
        var problems: [FieldError]

        var lines: [String] { problems.map { "\($0)" } }
    }

    /// A text longer than a fact can carry could never be adopted.
    private static let bytesMax = 1 << 20

    let name: String
    let text: String

    /// - Parameters:
    ///   - name: a shipped policy's name; else a file's, or `-` for standard input.
    ///   - isReadAgain: whether it was read before, and so must be a regular file: a pipe gives what it holds once, and
    ///     keeps whoever reads it again waiting for somebody who writes.
    init(named name: String, isReadAgain: Bool = false) throws(Failure) {
        self.name = name
        if let shipped = ShippedPolicies.text(of: name) {
            text = shipped
            return
        }
        let handle: FileHandle
        if name == "-" {
            handle = .standardInput
        } else {
            let descriptor = open(name, O_RDONLY | O_CLOEXEC | (isReadAgain ? O_NONBLOCK : 0))
            guard descriptor >= 0 else { throw Self.missing(name, errno) }
            do throws(Failure) { try Self.check(descriptor, name, isReadAgain: isReadAgain) } catch {
                close(descriptor)
                throw error
            }
            handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        do {
            let bytes = try handle.read(upToCount: Self.bytesMax + 1) ?? Data()
            guard bytes.count <= Self.bytesMax else {
                throw Failure(.badInput, "\(name) is longer than \(Self.bytesMax) bytes; no policy is")
            }
            // Bytes that are no text stay what they are not: JSON.
            text = String(validating: bytes, as: UTF8.self) ?? "\u{FFFD}"
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.badInput, "cannot read \(name): \((error as NSError).localizedDescription)")
        }
    }

    private static func check(_ descriptor: Int32, _ name: String, isReadAgain: Bool) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Failure(.badInput, "cannot read \(name): it is a directory")
        default:
            guard isReadAgain else { return }
            throw Failure(
                .badInput,
                "cannot read \(name) again: it is no regular file. Name a file with the document, and start the worker anew"
            )
        }
    }

    private static func missing(_ name: String, _ code: Int32) -> Failure {
        guard code == ENOENT, !name.contains("/"), !name.contains(".") else {
            return Failure(.badInput, "cannot open \(name): \(String(cString: strerror(code)))")
        }
        let shipped = ShippedPolicies.names
        let hint = NearestName.of(name, among: shipped).map { "; did you mean \($0)?" } ?? "."
        return Failure(
            .badInput,
            "there is no policy and no file \"\(name)\"\(hint) Name a file, or one of \(shipped.joined(separator: ", "))"
        )
    }

    func reading(zones: ZoneDatabase) -> Result<Policy, Refusals> {
        do throws(Refusal) {
            let policy = try Policy(recorded: text)
            let contradictions = policy.contradictions(zoneProblem: zones.problem(with:))
            return contradictions.isEmpty ? .success(policy) : .failure(Refusals(problems: contradictions))
        } catch {
            switch error {
            case .field(let problem):
                return .failure(Refusals(problems: (try? Policy.problems(reading: text)) ?? [problem]))
            case .notJSON(let problem):
                return .failure(Refusals(problems: [FieldError("not JSON: " + place(of: problem))]))
            }
        }
    }

    /// Where a text of several lines stops being JSON.
    private func place(of error: JSONError) -> String {
        let before = Array(text.utf8.prefix(max(0, error.column - 1)))
        let line = before.count { $0 == 0x0A } + 1
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return "line \(line), column \(column): \(error.problem)"
    }
}
