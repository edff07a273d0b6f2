import Notices
import Worker

extension EventOrigin {
    /// `GET /v1/events/SEQ`. Of very many consequences the first are listed, as `API.md` says.
    var json: [UInt8] {
        var listed = PrintedEvents()
        for event in consequences { listed.add(event) }
        var buffer = ByteBuffer(capacity: 4096)
        buffer.append("{\"event\":")
        event.writeJSON(into: &buffer)
        buffer.append(",\"cause\":")
        if let cause { cause.writeJSON(into: &buffer) } else { buffer.append("null") }
        buffer.append(",\"consequences\":[")
        for (place, line) in listed.lines.enumerated() {
            if place > 0 { buffer.append(",") }
            line.withUnsafeBytes { buffer.append($0) }
        }
        buffer.append("],\"consequence_count\":\(listed.count),\"commit\":{\"position\":\(position),\"at\":")
        event.at.writeJSON(into: &buffer)
        buffer.append(",\"first\":\(first),\"last\":\(last)},\"head\":\"\(head)\"}")
        return Array(buffer.bytes)
    }
}
