internal import CivilTime

/// A notice that no rule objects to becomes a job, alone or with others of its kind (`P19`).
extension Desk {
    func emit(_ matter: Matter) {
        guard matter.kind.isBundling else { return emitAlone(matter) }
        var together = [matter]
        gatherBundle(&together)
        guard together.count > 1 else { return emitAlone(matter) }
        var job = bundle(together)
        finish(&job, together)
        emit(job, matter.notice, with: together.dropFirst().map(\.notice))
    }

    /// Of erased words nothing is made: it is seen of the job that its words say nothing.
    func emit(_ job: consuming JobEmitted, _ notice: Notice, with others: [Notice]) {
        if notice.isVeiled || others.contains(where: \.isVeiled) { job.veilWords() }
        decide(.emit(job, notice, with: others))
    }

    /// As most are; nothing is put into lists of one.
    private func emitAlone(_ matter: Matter) {
        var job = JobEmitted()
        word(&job, matter)
        finish(&job, matter)
        emit(consume job, matter.notice, with: [])
    }

    // MARK: Bundles

    /// Those considered at this instant that only the cooldown or the cap could stop, and the slots soon to come.
    private func gatherBundle(_ together: inout [Matter]) {
        let first = together[0]
        // As they would be asked once this job is out.
        let after = person.copy()
        after.add(mark(of: first))
        func mayJoin(_ notice: Notice) -> Bool {
            Matter(notice, of: after, plan, at: now, almanac).objection(of: .joiningBundle) == nil
        }
        together += takeFromQueue { notice in
            notice.kind == first.notice.kind && notice.mayShareAJob && mayJoin(notice)
        }.map { matter($0) }
        // That a deadline has passed cannot be told before it has (`C6`).
        guard first.kind.schedule != .overdue else { return }
        let soon = now.advanced(byMinutes: Int64(plan.policy.bundleMinutes))
        var pulled: [Slot] = []
        person.forEachStream(plan) { stream in
            guard stream.kind == first.notice.kind else { return }
            pulled += person.slots(of: stream, after: now, through: soon, plan, almanac)
        }
        for slot in pulled {
            let notice = person.scheduled(slot, at: now, user: user, plan: plan, almanac)
            // Somebody who runs a kind now raises its next slot: that one is here already.
            guard !together.contains(where: { $0.notice.isSame(as: notice) }),
                isQueued({ $0.isSame(as: notice) }) == nil
            else { continue }
            guard mayJoin(notice) else { continue }
            supersede(slot.kind, slot.subject, except: together.map(\.notice))
            together.append(matter(notice))
        }
    }

    private func mark(of matter: Matter) -> Mark {
        let flags = Mark.Flags(job: matter.channels, matter.kind, matter.notice.priority)
        return Mark(
            at: now, date: LocalDate(daysSince1970: 0), minute: 0, channels: matter.channels,
            kind: UInt8(matter.notice.kind), flags: flags)
    }

    // MARK: Words

    private func word(_ job: inout JobEmitted, _ matter: Matter) {
        let notice = matter.notice
        let day = notice.slot?.date ?? person.zone.localDate(at: now)
        if notice.content == nil, let words = matter.kind.phrases.plainWords(onDay: Int(day.daysSince1970)) {
            job.title = Text(words.title)
            job.body = Text(words.body)
        } else {
            fill(&job, for: matter, onDay: Int(day.daysSince1970))
        }
        if let subject = notice.subject { job.subject = Identifier(subject) }
    }

    /// A notice's own words, or its kind's with values put into their places.
    private func fill(_ job: inout JobEmitted, for matter: Matter, onDay day: Int) {
        let (phrases, content) = (matter.kind.phrases, matter.notice.content)
        let values = values(for: matter)
        job.title = Text(content?.title.map(Plain.line) ?? phrases.title.filled(values))
        job.body = Text(content?.body.map(Plain.lines) ?? phrases.body(onDay: day).filled(values))
        if let data = content?.data { job.data = data }
    }

    func bundle(_ together: [Matter]) -> JobEmitted {
        let things = things(in: together)
        var job = JobEmitted()
        guard things.count > 1 else {
            word(&job, things[0])
            return job
        }
        var values = values(for: things[0])
        values.count = things.count
        values.items = things.map { item($0) }.joined(separator: ", ")
        let phrases = things[0].kind.phrases
        job.title = Text(phrases.bundleTitle.filled(values))
        job.body = Text(phrases.bundleBody.filled(values))
        if let subject = together[0].notice.subject, together.allSatisfy({ $0.notice.subject == subject }) {
            job.subject = Identifier(subject)
        }
        return job
    }

    /// What a bundle has to tell, each thing once. What is about the same and brings no other words is one thing, such as a goal's
    /// reminders of yesterday and of today: nobody is told to check in on "1 goals". What an app asked for in its own words,
    /// or about nothing in particular, is told by nothing else.
    private func things(in together: [Matter]) -> [Matter] {
        struct Thing: Hashable {
            let subject: String
            let title: String?
            let body: String?
        }
        var seen: Set<Thing> = []
        return together.filter { matter in
            let notice = matter.notice
            guard let subject = notice.subject else { return true }
            return seen.insert(
                Thing(subject: subject, title: notice.content?.title, body: notice.content?.body)
            ).inserted
        }
    }

    /// What the list of a bundle, a digest or a summary calls a notice: what an app gave no title is told by its text.
    func item(_ matter: Matter) -> String {
        guard let content = matter.notice.content, content.title == nil, let body = content.body else {
            return title(of: matter)
        }
        return Plain.line(body)
    }

    func values(for matter: Matter) -> PhraseValues {
        var values = person.values(about: matter.notice.subject, at: now)
        if let content = matter.notice.content {
            values.text = content.body ?? ""
            if let number = plan.number(toldBy: content, matter.notice.kind) {
                (values.count, values.points) = (number, number)
            }
        }
        return values
    }

    private func goal(of notice: Notice) -> Goal? {
        guard person.hasDetails, let id = notice.goal else { return nil }
        return person.details.goal(id)
    }

    /// What a list calls a notice: its own title, its goal's, or its kind, and whom it is about (`D6`).
    func title(of matter: Matter) -> String {
        let own = matter.notice.content?.title
        if own == nil, let goal = goal(of: matter.notice) { return Plain.line(goal.title) }
        let title = Plain.line(own ?? matter.kind.label)
        guard let name = matter.notice.subject.flatMap({ person.knownName(ofSubject: $0) }).map(Plain.line),
            !title.names(name)
        else { return title }
        return "\(title) (\(name))"
    }

    // MARK: What every job carries

    func finish(_ job: inout JobEmitted, _ matter: Matter) {
        let channels = matter.channels
        job.notices = [NoticeName(matter.notice.name)]
        job.priority = matter.notice.priority
        job.notAfter = notAfter(matter, channels, .distantFuture)
        finish(&job, matter, channels)
    }

    func finish(_ job: inout JobEmitted, _ together: [Matter]) {
        let channels = together.reduce(into: ChannelSet()) { $0.formUnion($1.channels) }
        job.notices = together.map { NoticeName($0.notice.name) }
        job.priority =
            together.map(\.notice.priority).max { $0.rawValue < $1.rawValue } ?? together[0].notice.priority
        job.notAfter = together.reduce(.distantFuture) { notAfter($1, channels, $0) ?? .distantFuture }
        if job.notAfter == .distantFuture { job.notAfter = nil }
        finish(&job, together[0], channels)
    }

    private func finish(_ job: inout JobEmitted, _ first: Matter, _ channels: ChannelSet) {
        job.job = NoticeName(first.notice.name)
        job.kind = first.kind.name
        job.channels = channels.list
        job.thread = job.subject
        job.category = first.kind.category
        job.actions = first.kind.actions
        if !first.preferences.choices.isEmpty { add(first.preferences.choices, to: &job.data) }
        if !channels.isDisjoint(with: .ringing) {
            let repeated = first.notice.isRepeat ? person.details.snooze(named: first.notice.name) : nil
            let before = look { $0.badge(now, repeating: repeated?.base, $1) }
            // A repeat names itself alone, and stands for as many as what it repeats.
            let weight = repeated?.job.notices ?? job.notices.count
            job.badge = plan.message == nil ? before.addingSaturated(max(1, weight)) : before
        }
        if let slot = first.notice.slot, !first.notice.isRepeat { job.slot = LocalSlot(almanac.text(of: slot)) }
        clip(&job, channels)
    }

    private func add(_ choices: [(name: String, text: String)], to data: inout FlatMap<Text>) {
        for choice in choices where data.entries.count < 100 {
            data[Phrase.choicePrefix + choice.name] = Text(choice.text)
        }
    }

    /// As long as its channels can show.
    private func clip(_ job: inout JobEmitted, _ channels: ChannelSet) {
        let most = channels.lengthsMax
        if channels.intersection(.ringing) == .sms {
            let fitting = TextSegments.clipped(job.title.text, job.body.text, to: most)
            if fitting.title != job.title.text { job.title = Text(fitting.title) }
            if fitting.body != job.body.text { job.body = Text(fitting.body) }
            return
        }
        // A character is at least one byte.
        if job.title.text.utf8.count > most.title { job.title = Text(Plain.clipped(job.title.text, to: most.title)) }
        if job.body.text.utf8.count > most.body { job.body = Text(Plain.clipped(job.body.text, to: most.body)) }
    }

    /// A sender never sends after this (SPEC §11): what it is about has passed, quiet hours begin that would have held
    /// it, the hours of the schedule end, or a slot would by now be missed (`C5`); and not after `latest`.
    private func notAfter(_ matter: Matter, _ channels: ChannelSet, _ latest: Instant) -> Instant? {
        var latest = latest
        if let expiry = matter.expiry { latest = min(latest, expiry) }
        if !channels.isDisjoint(with: .ringing) {
            // A sender has an hour at least, however strict the policy is with slots. Who asked for an hour wants no other (`S1`).
            if matter.notice.slot != nil || matter.notice.isRepeat {
                latest = min(latest, now.advanced(byMilliseconds: max(matter.plan.catchUp, 3_600_000)))
            }
            if matter.asked.contains(.only(8)), !matter.isExemptFromQuietHours,
                let hours = matter.preferences.quietHours,
                let quiet = matter.seenPerson.look({
                    $0.lookAtZone { almanac.start(of: hours, after: now, in: $0) }
                })
            {
                latest = min(latest, quiet)
            }
            if matter.asked.contains(.only(9)), let schedule = matter.preferences.schedule,
                let end = schedule.end(containing: now, in: matter.person.zone)
            {
                latest = min(latest, end)
            }
        }
        return latest == .distantFuture ? nil : latest
    }
}

extension Notice {
    var isOrdinary: Bool { if case .ordinary = origin { true } else { false } }
    /// `P19`: those that one forced run brings forward are one ring, as they would be in their own time. A repeat comes as
    /// it was asked for, and a sample is none of them.
    fileprivate var mayShareAJob: Bool {
        switch origin {
        case .ordinary, .forced: true
        case .snooze, .test: false
        }
    }
    var isRepeat: Bool { if case .snooze = origin { true } else { false } }
}

extension String {
    /// Whether a name stands in a text as a word of its own: Lea is not named in "Learning".
    fileprivate func names(_ name: String) -> Bool {
        !name.isEmpty
            && ranges(of: name).contains { range in
                let before = self[..<range.lowerBound].last
                let after = self[range.upperBound...].first
                return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
            }
    }
}
