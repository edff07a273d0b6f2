import CivilTime
import Console
import Journal
import Notices
import Worker

/// Where one person's story is read from: a log by itself, or the part of it that a running worker knows to be durable.
///
/// Only the person's own chain is read and the few commits about everyone, so it costs what that person has.
struct StorySource {
    let user: String
    /// The log's for them.
    var number: UInt32 { trail.person }
    private let log: LogReader
    private let trail: PersonTrail
    /// Where the story ends.
    let head: LogHead
    /// Whether anybody still waits for it.
    let isWanted: () -> Bool

    /// Looks the person up in the index of everybody.
    init(of user: String, in log: LogReader) throws(Unanswered) {
        let index: LogIndex
        do throws(JournalError) { index = try log.index() } catch { throw .failed(Failure(error)) }
        guard let trail = PersonTrail(log, index, user: user) else { throw .nobody(user) }
        self.user = user
        self.log = log
        self.trail = trail
        head = index.head
        isWanted = { true }
    }

    /// - Parameters:
    ///   - log: opened after the worker gave the place, so that it holds all of it.
    ///   - isWanted: asked at every commit, so that a long story ends when nobody waits for it any more (`G11`).
    init(at place: PersonPlace, in log: LogReader, isWanted: @escaping () -> Bool) {
        user = place.user
        self.log = log
        trail = PersonTrail(
            log, user: place.user, number: place.number, lastCommit: place.lastCommit,
            generalCommits: place.generalCommits)
        head = place.head
        self.isWanted = isWanted
    }

    /// The person's story up to a moment, event by event, and the instant that this moment is.
    ///
    /// A commit is told whole (SPEC §1): in the middle of one, what its fact raised would be undecided, which it never was.
    func tell(
        until moment: Question.Moment, _ zones: ZoneDatabase, _ each: (Event, Biography) -> Void = { _, _ in }
    ) throws(Unanswered) -> (biography: Biography, now: Instant) {
        var biography = Biography(of: user, Plan(PersonCommands.standard, zone: { try? zones.zone(named: $0) }))
        let now: Instant
        do throws(JournalError) {
            let end = try self.end(of: moment)
            now = end.now
            try read(until: end.moment) { event in
                each(event, biography)
                biography.take(event)
            }
        } catch {
            throw .failed(Failure(error))
        }
        guard isWanted() else { throw .abandoned }
        return (biography, now)
    }

    /// The person's story for as long as it is wanted, which is asked before each event.
    func tell(
        _ zones: ZoneDatabase, while isToTake: (Event, Biography) -> Bool
    ) throws(Unanswered) -> Biography {
        var biography = Biography(of: user, Plan(PersonCommands.standard, zone: { try? zones.zone(named: $0) }))
        do throws(JournalError) {
            for position in try trail.wholeStory(isWanted: isWanted) {
                guard isWanted() else { break }
                for event in try trail.storyEvents(at: position) {
                    guard isToTake(event, biography) else { return biography }
                    biography.take(event)
                }
            }
        } catch {
            throw .failed(Failure(error))
        }
        guard isWanted() else { throw .abandoned }
        return biography
    }

    /// Ends early once nobody waits for the story any more.
    private func read(until moment: Question.Moment, _ take: (Event) -> Void) throws(JournalError) {
        for position in try trail.wholeStory(isWanted: isWanted) {
            guard isWanted() else { return }
            for event in try trail.storyEvents(at: position) {
                guard moment.holds(event) else { return }
                take(event)
            }
        }
    }

    /// Where a moment ends, and when that is: an event's number stands for the commit that holds it, whomever it is about.
    private func end(of moment: Question.Moment) throws(JournalError) -> (moment: Question.Moment, now: Instant) {
        switch moment {
        case .instant(let instant): return (moment, instant)
        case .seq(let seq) where seq < head.lastSeq:
            guard let end = try log.end(ofCommitHolding: seq, isWanted: isWanted) else { return (moment, head.at) }
            return (.seq(end.lastSeq), end.at)
        case .seq, .end: return (moment, head.at)
        }
    }
}
