public import CivilTime

/// What a person's state still holds of texts that are erased: nothing is decided by them (`E2`), and nobody is shown them.
extension Person {
    /// Puts what is shown of erased texts in the place of all that was told before a moment. What is sent again or waits is younger
    /// (`P1`), or never goes out.
    public func forgetTexts(before: Instant) {
        for place in marks.indices where marks[place].at < before {
            if let memo = marks[place].memo?.veiled { marks[place].memo = memo }
        }
        guard hasDetails else { return }
        if details.waiting.contains(where: { $0.notice.isWorded(before: before) }) {
            details.waiting.forEach { if $0.notice.isWorded(before: before) { $0.notice = $0.notice.veiled } }
        }
        if details.raised.contains(where: { $0.isWorded(before: before) }) {
            details.raised.forEach { if $0.isWorded(before: before) { $0 = $0.veiled } }
        }
        for place in details.snoozes.indices where details.snoozes[place].job.raisedAt < before {
            details.snoozes[place].job = details.snoozes[place].job.veiled
        }
    }
}

extension Notice {
    /// Whether its words are erased. Nobody is told of such (`P1`): it is met where a log is decided again.
    var isVeiled: Bool {
        guard let content else { return false }
        return content.title == Erased.text || content.body == Erased.text
            || content.data.entries.first?.key == Erased.text
    }

    fileprivate func isWorded(before: Instant) -> Bool { raisedAt < before && content?.hasWords ?? false }

    fileprivate var veiled: Notice {
        Notice(
            name: name, kind: kind, subject: subject, priority: priority, raisedAt: raisedAt, date: date, slot: slot,
            due: due, day: day, sequence: sequence, content: content?.veiled, origin: origin)
    }
}

extension NoticeContent {
    fileprivate var veiled: NoticeContent {
        NoticeContent(
            title: title.map { _ in Erased.text }, body: body.map { _ in Erased.text }, data: data.veiledIfAny,
            expiresAt: expiresAt, subtype: subtype, week: week)
    }
}

extension Mark.Memo {
    /// `nil` where it holds no text.
    fileprivate var veiled: Mark.Memo? {
        job.map { Mark.Memo(subject: subject, due: due, job: $0.veiled) }
    }
}

extension JobMemo {
    fileprivate var veiled: JobMemo {
        JobMemo(
            name: name, raisedAt: raisedAt, date: date, subjects: subjects, priority: priority,
            title: title.veiledIfAny,
            body: body.veiledIfAny, data: data.veiledIfAny, expiresAt: expiresAt, subtype: subtype, notAfter: notAfter,
            notices: notices, isRemade: isRemade, day: day,
            members: members.map {
                JobMember(
                    subject: $0.subject, priority: $0.priority, raisedAt: $0.raisedAt, date: $0.date, slot: $0.slot,
                    due: $0.due, day: $0.day, content: $0.content?.veiled)
            })
    }
}

extension String {
    fileprivate var veiledIfAny: String { isEmpty ? self : Erased.text }
}

extension FlatMap where Value == Text {
    /// How many there were is not known any more.
    fileprivate var veiledIfAny: FlatMap<Text> { entries.isEmpty ? self : FlatMap(Erased.text, Text(Erased.text)) }
}

// MARK: Jobs

extension JobEmitted {
    /// Whether its words are erased.
    public var tellsErased: Bool { title.text == Erased.text || body.text == Erased.text }

    /// What was told of what is erased says nothing more itself, so that it is seen of every text made of such.
    mutating func veilWords() {
        (title, body) = (Text(Erased.text), Text(Erased.text))
        data = FlatMap(Erased.text, Text(Erased.text))
    }
}
