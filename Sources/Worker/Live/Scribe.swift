internal import CivilTime
internal import Dispatch
internal import Journal
internal import Synchronization

/// Writes one commit into the journal's memory while the next is being decided: two halves of a herd's work, on two
/// processors.
///
/// Between `begin` and `finish` the journal is the scribe's, and nobody else touches it. Dispatch has some 250
/// threads, and as many partitions may have a herd at once: what no thread has begun by `finish` is written by whoever
/// waits there.
final class Scribe {
    private let journal: Journal
    private let queue: DispatchQueue
    private let done = DispatchSemaphore(value: 0)
    private var errand: Errand?
    private var draft = CommitDraft()
    private var result: Result<WrittenCommit?, JournalError> = .success(nil)

    init(_ journal: Journal, on queue: DispatchQueue = DispatchQueue(label: "belfry.scribe", qos: .userInitiated)) {
        self.journal = journal
        self.queue = queue
    }

    /// Takes the draft and leaves an empty one.
    func begin(_ draft: inout CommitDraft, at now: Instant) {
        precondition(errand == nil, "the scribe has one commit already")
        swap(&draft, &self.draft)
        let errand = Errand { [self] in
            do throws(JournalError) {
                result = .success(try self.draft.write(to: journal, at: now))
            } catch {
                result = .failure(error)
            }
        }
        self.errand = errand
        queue.async { [done] in if errand.run() { done.signal() } }
    }

    /// Waits for the commit that was begun last; `nil` where there is none.
    func finish() throws(JournalError) -> WrittenCommit? {
        guard let errand else { return nil }
        if !errand.run() { done.wait() }
        self.errand = nil
        return try result.get()
    }

    /// Safe to send: it is run once, and whoever begins waits at `finish` before touching anything that it touches.
    private final class Errand: @unchecked Sendable {
        private let work: () -> Void
        private let isBegun = Atomic(false)

        init(_ work: @escaping () -> Void) { self.work = work }

        /// `false` where it was begun before.
        func run() -> Bool {
            guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else { return false }
            work()
            return true
        }
    }
}
