internal import CivilTime

/// A sample of a kind, to see that it arrives (`N8`): asked P6 only, and counted for nothing.
extension Desk {
    /// Nobody needs to know tomorrow that a test has arrived.
    private static let testMinutes: Int64 = 10
    private static let testMark = "Test: "

    func test(_ request: TestRequested, _ sequence: UInt64) {
        guard let place = plan.rules.place(of: request.kind.text), !plan.rules.isRetired(place) else { return }
        let kind = plan.kind(place)
        let sample = kind.sample
        let notice = Notice(
            name: Notice.name(user, kind.name.text, nil, "#\(sequence)"), kind: place, priority: kind.priority,
            raisedAt: now, date: person.zone.localDate(at: now), sequence: sequence,
            content: NoticeContent(data: sample.data, subtype: sample.data["subtype"]?.text),
            origin: .test(request.channel.map { ChannelSet($0) } ?? ChannelSet(Channel.allCases)))
        let matter = matter(notice)
        if let objection = matter.objection() { return drop(notice, objection.reason) }
        var job = JobEmitted()
        var values = sampleValues()
        values.name = person.details.displayName ?? ""
        let body = sample.body.isEmpty ? kind.phrases.body(onDay: 0).filled(values) : Plain.lines(sample.body)
        job.title = Text(
            Self.testMark + (sample.title.isEmpty ? kind.phrases.title.filled(values) : Plain.line(sample.title)))
        job.body = Text(body)
        job.data = sample.data
        finish(&job, matter)
        job.isTest = true
        job.notAfter = now.advanced(byMinutes: Self.testMinutes)
        // It is there beside the others and is none of them.
        if job.badge != nil { job.badge = person.badge(now, plan) }
        decide(.emitSample(job))
    }

    private func sampleValues() -> PhraseValues {
        var values = PhraseValues()
        values.title = "a sample"
        values.items = "a sample"
        values.left = "1 hour"
        values.text = "This is a sample."
        values.subject = "sample"
        (values.count, values.points) = (1, 10)
        (values.day, values.days) = ("today", "Today's")
        (values.earlier, values.since) = (5, "yesterday")
        values.choices = person.preferences.choices
        values.week = WeekActivity(sessions: 1, checkIns: 1, points: 10, goals: 1)
        return values
    }
}

extension Person {
    /// It is remembered, so that its outcome is heard, and is not among the jobs that anything counts.
    func tested(_ job: JobEmitted, on occasion: Occasion) {
        let at = occasion.at
        guard let kind = occasion.plan.rules.place(of: job.kind.text) else { return }
        let memo = JobMemo(
            name: job.job.text, raisedAt: at, date: zone.localDate(at: at), subjects: [], priority: job.priority,
            title: job.title.text, body: job.body.text, data: job.data, expiresAt: nil, subtype: nil,
            notAfter: job.notAfter)
        add(
            Mark(
                at: at, date: LocalDate(daysSince1970: 0), minute: 0, channels: ChannelSet(job.channels),
                kind: UInt8(kind), flags: [.job, .test],
                memo: Mark.Memo(subject: nil, job: memo)))
    }

    func isTest(_ job: String, on occasion: Occasion) -> Bool {
        jobPlace(named: job, on: occasion).map { marks[$0].flags.contains(.test) } ?? false
    }
}
