internal import CivilTime
internal import Notices

extension Auditor {
    mutating func takeDecision(_ event: Event, _ person: Int) {
        switch event.payload {
        case .noticeHeld(let hold): takeHold(hold, event, person)
        case .noticeGathered(let gathering): takeGathering(gathering, event, person)
        case .noticeDropped(let drop): takeDrop(drop, event, person)
        case .slotsSkipped(let skip): takeSkip(skip, event, person)
        case .jobEmitted(let job): takeJob(job, event, person)
        case .sessionCompleted(let session): takeDerivedSession(session, event, person)
        case .personErased: erase(person, at: event.at)
        case .phoneVerified: people[person].reach.phoneVerified(at: event.at)
        default: break
        }
    }

    /// S3: at least four messages, and the app closed or five minutes of silence.
    private mutating func takeDerivedSession(_ session: SessionCompleted, _ event: Event, _ person: Int) {
        let conversation = session.conversation?.text ?? ""
        let exchange = people[person].conversations[conversation]
        expect(
            .sessions, event, (exchange?.messages ?? 0) >= 4,
            "a session is derived from \(exchange?.messages ?? 0) messages in the conversation \(conversation)")
        if let exchange, !people[person].presence.isClosedForSure {
            expect(
                .sessions, event, event.at >= exchange.last.advanced(byMinutes: 5),
                "a session is derived at \(event.at), with the app open and the last message at \(exchange.last)")
        }
        people[person].conversations.completed(conversation)
        people[person].progress.completedSession(at: event.at)
    }
}
