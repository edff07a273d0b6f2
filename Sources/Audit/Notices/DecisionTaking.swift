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
        case .analysisConcluded(let conclusion): noteConclusion(conclusion, event, person)
        case .personErased: erase(person, at: event.at)
        case .phoneVerified(let verified):
            checkCode(isVerified: true, verified.phone, event, person)
            people[person].reach.phoneVerified(at: event.at)
        case .phoneLocked(let locked): checkCode(isVerified: false, locked.phone, event, person)
        default: break
        }
    }

    /// N9: what the worker concludes of codes follows from what it found of them.
    private mutating func checkCode(isVerified: Bool, _ tail: PhoneTail, _ event: Event, _ person: Int) {
        let reach = people[person].reach
        let what = isVerified ? "verified" : "locked"
        // Of who was erased nobody can read the number.
        let isErased = Erased.holds(people[person].id) || Erased.holds(tail.text)
        let other = isErased ? nil : reach.tailAsked.flatMap { $0 == tail.text ? nil : "a code was asked for \($0)" }
        let problem = reach.codeProblem(isVerified: isVerified, at: event.at) ?? other
        expect(.phoneCodes, event, problem == nil, "the phone \(tail) is \(what), and \(problem ?? "")")
        people[person].reach.codesConcluded()
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
