internal import CivilTime
internal import Notices

/// One commit while its events are being collected.
struct CommitBuilder {
    let at: Instant
    let position: UInt64
    let firstSeq: UInt64
    let peopleBefore: Int
    private(set) var events = 0
    /// `nil` in a log that has no seals.
    private let seals: (any LogSeals)?
    private let sealer: (any FieldSealer)?
    /// The week that what people are told belongs to; `nil` where it is kept as long as they are.
    private var week: TextWeek?
    /// Who was erased by it.
    private(set) var erased: [UInt32] = []
    /// The texts of weeks before this one are.
    private(set) var textsErasedBefore: TextWeek?
    /// Ids of this commit's own facts, looked at only when the index says that one may be here.
    private var ids: [(id: String, seq: UInt64)] = []
    private var seqs: [String: UInt64] = [:]

    /// The commit that goes on where the index stands.
    /// - Parameter textsByWeek: whether what people are told belongs to a week.
    init(
        at: Instant, after index: LogIndex, _ seals: (any LogSeals)?, _ sealer: (any FieldSealer)?, textsByWeek: Bool
    ) {
        (self.seals, self.sealer) = (seals, sealer)
        self.at = max(at, index.head.at)
        week = textsByWeek && seals != nil ? TextWeek(of: self.at) : nil
        position = index.head.position
        firstSeq = index.head.lastSeq + 1
        peopleBefore = index.people.count
    }

    /// To be called first: what is sealed without its week's key being durable could never be read again.
    mutating func makeKey() throws(JournalError) {
        if let week { self.week = try seals?.makeKey(of: week) }
    }

    mutating func seq(ofID id: String) -> UInt64? {
        for (id, seq) in ids[seqs.count...] { seqs[id] = seq }
        return seqs[id]
    }

    /// Encodes the entry and tells the index of it. Returns its number.
    mutating func add(
        _ entry: borrowing some Recordable, to body: inout ByteBuffer, _ index: inout LogIndex
    ) throws(JournalError) -> UInt64 {
        let seq = firstSeq + UInt64(events)
        events += 1
        let person = try entry.user.map { (user) throws(JournalError) in try meet(user, &body, &index) }
        if person == nil { index.addGeneral(position) }
        let event = body.beginMessage(CommitField.event)
        if let person {
            body.appendVarint(EventField.person, UInt64(person.number))
            if let back = person.back { body.appendVarint(EventField.back, back) }
        }
        do throws(FieldError) {
            if let id = entry.id { try append(id: id, of: person?.number, seq, &body) }
            if let occurredAt = entry.occurredAt { occurredAt.encode(EventField.occurredAt, into: &body) }
            entry.trace?.withBytes { body.appendBytes(EventField.trace, $0) }
            let payload = body.beginMessage(entry.payload.type.number)
            try entry.payload.encode(into: &body, sealing: fieldSeals(of: entry.user, person?.number, seq))
            body.endMessage(payload)
        } catch {
            throw .keys(error.problem)
        }
        body.endMessage(event)
        if var id = entry.id {
            id.withUTF8 { index.factIDs.insert(UnsafeRawBufferPointer($0), at: position) }
            ids.append((id, seq))
        }
        if let person, entry.payload.isErasure {
            index.people.erase(person.number)
            erased.append(person.number)
        }
        if case .textsErased(let erased) = entry.payload { textsErasedBefore = TextWeek(of: erased.before) }
        return seq
    }

    /// What is about nobody has nothing to seal.
    private func fieldSeals(of user: String?, _ person: UInt32?, _ seq: UInt64) -> EventSeals? {
        guard let sealer, let user, let person else { return nil }
        return EventSeals(LentSealer(sealer), person: person, sequence: seq, user: user, week: week)
    }

    private func append(
        id: String, of person: UInt32?, _ seq: UInt64, _ body: inout ByteBuffer
    ) throws(FieldError) {
        guard let sealer, let person else { return body.appendText(EventField.id, id) }
        let place = SealedPlace(person: person, sequence: seq, field: EventField.id, isAround: true)
        try seal(id, at: place, with: sealer, as: EventField.sealedID, &body)
    }

    private func seal(
        _ text: String, at place: SealedPlace, with sealer: any FieldSealer, as field: Int, _ body: inout ByteBuffer
    ) throws(FieldError) {
        var text = text
        let sealed = text.withUTF8 { utf8 in
            Result { () throws(FieldError) in try sealer.seal(UnsafeRawBufferPointer(utf8), at: place, of: nil) }
        }
        body.appendBytes(field, try sealed.get())
    }

    /// The person's number, and how many times eight bytes lie between this commit and their last one.
    private func meet(
        _ user: String, _ body: inout ByteBuffer, _ index: inout LogIndex
    ) throws(JournalError) -> (number: UInt32, back: UInt64?) {
        var text = user
        let (number, isNew) = text.withUTF8 { index.people.numberOrAdd(UnsafeRawBufferPointer($0)) }
        if isNew { try append(newPerson: user, number, &body) }
        let last = index.people.lastCommit(of: number)
        if last != position { index.people.setLastCommit(of: number, position) }
        let back = last.flatMap { $0 == position ? nil : (position - $0) / 8 }
        return (number, back)
    }

    /// Their key is made first: people without a key could never be read again.
    private func append(
        newPerson id: String, _ number: UInt32, _ body: inout ByteBuffer
    ) throws(JournalError) {
        guard let seals, let sealer else { return body.appendText(CommitField.newPerson, id) }
        try seals.makeKeys(below: Int(number) + 1)
        do throws(FieldError) {
            try seal(id, at: .id(of: number), with: sealer, as: CommitField.sealedPerson, &body)
        } catch {
            throw .keys(error.problem)
        }
    }
}
