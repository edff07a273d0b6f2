internal import CivilTime
internal import Notices

/// One commit while its events are being collected.
struct CommitBuilder {
    let at: Instant
    let position: UInt64
    let firstSeq: UInt64
    let peopleBefore: Int
    private(set) var events = 0
    /// Ids of this commit's own facts, looked at only when the index says that one may be here.
    private var ids: [(id: String, seq: UInt64)] = []
    private var seqs: [String: UInt64] = [:]

    /// The commit that goes on where the index stands.
    init(at: Instant, after index: LogIndex) {
        self.at = max(at, index.head.at)
        position = index.head.position
        firstSeq = index.head.lastSeq + 1
        peopleBefore = index.people.count
    }

    mutating func seq(ofID id: String) -> UInt64? {
        for (id, seq) in ids[seqs.count...] { seqs[id] = seq }
        return seqs[id]
    }

    /// Encodes the entry and tells the index of it. Returns its number.
    mutating func add(_ entry: some Recordable, to body: inout ByteBuffer, _ index: inout LogIndex) -> UInt64 {
        let seq = firstSeq + UInt64(events)
        events += 1
        let person = entry.user.map { meet($0, &body, &index) }
        if person == nil { index.addGeneral(position) }
        let event = body.beginMessage(CommitField.event)
        if let person {
            body.appendVarint(EventField.person, UInt64(person.number))
            if let back = person.back { body.appendVarint(EventField.back, back) }
        }
        if let id = entry.id { body.appendText(EventField.id, id) }
        if let occurredAt = entry.occurredAt { occurredAt.encode(EventField.occurredAt, into: &body) }
        entry.trace?.withBytes { body.appendBytes(EventField.trace, $0) }
        let payload = body.beginMessage(entry.payload.type.number)
        entry.payload.encode(into: &body)
        body.endMessage(payload)
        body.endMessage(event)
        if var id = entry.id {
            id.withUTF8 { index.factIDs.insert(UnsafeRawBufferPointer($0), at: position) }
            ids.append((id, seq))
        }
        return seq
    }

    /// The person's number, and how many times eight bytes lie between this commit and their last one.
    private func meet(
        _ user: String, _ body: inout ByteBuffer, _ index: inout LogIndex
    ) -> (number: UInt32, back: UInt64?) {
        var user = user
        return user.withUTF8 { utf8 in
            let id = UnsafeRawBufferPointer(utf8)
            let (number, isNew) = index.people.numberOrAdd(id)
            if isNew { body.appendBytes(CommitField.newPerson, id) }
            let last = index.people.lastCommit(of: number)
            if last != position { index.people.setLastCommit(of: number, position) }
            let back = last.flatMap { $0 == position ? nil : (position - $0) / 8 }
            return (number, back)
        }
    }
}
