internal import CivilTime
internal import Dispatch
internal import Journal

/// Writes one commit into the journal's memory while the next is being decided: two halves of a herd's work, on two
/// processors.
///
/// Between `begin` and `finish` the journal is the scribe's, and nobody else touches it.
final class Scribe {
    private let journal: Journal
    private let queue = DispatchQueue(label: "belfry.scribe", qos: .userInitiated)
    private let done = DispatchSemaphore(value: 0)
    private var draft = CommitDraft()
    private var isBusy = false
    private var result: Result<WrittenCommit?, JournalError> = .success(nil)

    init(_ journal: Journal) { self.journal = journal }

    /// Takes the draft and leaves an empty one.
    func begin(_ draft: inout CommitDraft, at now: Instant) {
        precondition(!isBusy, "the scribe has one commit already")
        isBusy = true
        swap(&draft, &self.draft)
        let work = Handed { [self] in
            do throws(JournalError) {
                result = .success(try self.draft.write(to: journal, at: now))
            } catch {
                result = .failure(error)
            }
            done.signal()
        }
        queue.async { work.run() }
    }

    /// Waits for the commit that was begun last; `nil` where there is none.
    func finish() throws(JournalError) -> WrittenCommit? {
        guard isBusy else { return nil }
        done.wait()
        isBusy = false
        return try result.get()
    }

    /// Safe to send: whoever begins waits at `finish` before touching anything that the work touches.
    private struct Handed: @unchecked Sendable {
        let run: () -> Void
    }
}
