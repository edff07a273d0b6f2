/// Where a fact would bring a person beyond what one can accumulate, it is refused (`G11`).
extension Register {
    func checkRoom(for start: GoalStarted, _ person: Person?) throws(FieldError) {
        guard let details = person?.details, details.goalsUnderway >= PersonLimits.goals,
            details.goal(start.goal.text)?.hasEnded ?? true
        else { return }
        throw FieldError(
            path: "goal", "this person has \(PersonLimits.goals) goals that have not ended; end one first")
    }

    func checkRoom(for named: SubjectNamed, _ person: Person?) throws(FieldError) {
        guard let details = person?.details, details.subjectNames.count >= PersonLimits.subjectNames,
            details.title(ofSubject: named.subject.text) == nil
        else { return }
        throw FieldError(path: "subject", "\(PersonLimits.subjectNames) subjects have a name, and that is the most")
    }

    func checkRoom(for registered: DeviceRegistered, _ person: Person?) throws(FieldError) {
        guard let devices = person?.devices, devices.count >= PersonLimits.devices,
            devices[registered.device.text] == nil
        else { return }
        throw FieldError(
            path: "device",
            "this person has \(PersonLimits.devices) devices; tell of one that is gone with device_removed first")
    }

    func checkRoom(forMessageIn conversation: String, _ person: Person?) throws(FieldError) {
        guard let details = person?.details, !details.hasRoom(forConversation: conversation) else { return }
        throw FieldError(
            path: "conversation",
            "this person has \(PersonLimits.conversations) conversations with messages still to be looked at; "
                + "send it again in a few minutes, or messages_read of another first")
    }

    func checkRoom(forSnoozeOf base: String, _ person: Person) throws(FieldError) {
        if person.details.snoozes.count >= PersonLimits.snoozes {
            throw FieldError(
                path: "job",
                "this person has \(PersonLimits.snoozes) snoozed notices that have not come again; wait for one")
        }
        guard person.snoozedJobs >= PersonLimits.snoozedJobs, person.snoozes(of: base) == 0 else { return }
        throw FieldError(
            path: "job", "this person has snoozed \(PersonLimits.snoozedJobs) notices in the last 7 days")
    }

    /// Before it is taken apart.
    func checkSize(of change: PreferencesChanged) throws(FieldError) {
        let bytes = change.patch.document.text.utf8.count
        guard bytes > PersonLimits.preferenceBytes else { return }
        throw FieldError(
            path: "patch", "is \(bytes) bytes long, and \(PersonLimits.preferenceBytes) is the most; send it in parts")
    }
}
