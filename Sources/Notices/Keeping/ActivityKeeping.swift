internal import CivilTime

// What people did: their weeks, their conversations, and the analyses of those.

extension WeekActivity {
    func write(into writer: inout KeptWriter) {
        writer.signed(sessions)
        writer.signed(checkIns)
        writer.signed(points)
        writer.signed(goals)
    }

    init(from reader: inout KeptReader) throws(KeptFault) {
        sessions = try reader.signed()
        checkIns = try reader.signed()
        points = try reader.signed()
        goals = try reader.signed()
    }
}

extension ActivityLog {
    func write(into writer: inout KeptWriter) {
        writer.list(minutes) { writer, minute in
            writer.signed(Int(minute.minute))
            minute.done.write(into: &writer)
        }
    }

    init(from reader: inout KeptReader) throws(KeptFault) {
        minutes = try reader.list { (reader) throws(KeptFault) in
            let minute = Int64(try reader.signed())
            return Minute(minute: minute, done: try WeekActivity(from: &reader))
        }
    }
}

extension Conversation {
    func write(into writer: inout KeptWriter) {
        writer.text(id)
        writer.instant(lastMessageAt)
        writer.signed(exchanged)
        writer.signed(fresh)
        writer.signed(unread)
        writer.flag(isPressing)
        writer.text(lastMessage)
        writer.optional(lastSender) { $0.text($1) }
        writer.optional(lastAvatar) { $0.text($1) }
        writer.optional(pending) { $1.write(into: &$0) }
    }

    init(from reader: inout KeptReader) throws(KeptFault) {
        id = try reader.text()
        lastMessageAt = try reader.instant()
        exchanged = try reader.signed()
        fresh = try reader.signed()
        unread = try reader.signed()
        isPressing = try reader.flag()
        lastMessage = try reader.text()
        lastSender = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        lastAvatar = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        pending = try reader.optional { (reader) throws(KeptFault) in try PendingAnalysis(from: &reader) }
    }
}

extension PendingAnalysis {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.instant(since)
        writer.flag(isPressing)
        writer.text(message)
        writer.optional(sender) { $0.text($1) }
        writer.optional(avatar) { $0.text($1) }
        switch answer {
        case nil: writer.byte(0)
        case .failed: writer.byte(1)
        case .answered(let answered):
            writer.byte(2)
            var record = ByteBuffer()
            Payload.analysisAnswered(answered).encode(into: &record)
            writer.count(record.count)
            writer.bytes.append(record.bytes)
        }
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        since = try reader.instant()
        isPressing = try reader.flag()
        message = try reader.text()
        sender = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        avatar = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        switch try reader.byte() {
        case 0: answer = nil
        case 1: answer = .failed
        case 2:
            guard let record = try? Payload.decode(AnalysisAnswered.type.number, try reader.bytes()),
                case .analysisAnswered(let answered) = record
            else { throw .outOfRange }
            answer = .answered(answered)
        default: throw .outOfRange
        }
    }
}

extension AnalysisWindow {
    func write(into writer: inout KeptWriter) {
        writer.instant(start)
        writer.signed(count)
        writer.optional(fallbackReason) { $0.text($1) }
        writer.optional(lastConversation) { $0.text($1) }
    }

    init(from reader: inout KeptReader) throws(KeptFault) {
        start = try reader.instant()
        count = try reader.signed()
        fallbackReason = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        lastConversation = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
    }
}
