/// One golden example of the catalog: the bytes of a payload beside what they mean.
///
/// `TYPE.vN.bin` holds the payload's message and `TYPE.vN.json` one line with type, number, version and data.
/// Once released neither changes: the golden files of every version must be read for ever.
public struct GoldenFile: Sendable, Equatable {
    public let payload: Payload

    public init(_ payload: Payload) { self.payload = payload }

    /// `goal_started.v1`, to which `.json` and `.bin` are added.
    public var name: String { "\(payload.type.text).v\(payload.type.version)" }

    public var bytes: [UInt8] {
        var buffer = ByteBuffer()
        payload.encode(into: &buffer)
        return Array(buffer.bytes)
    }

    public var json: String {
        let type = payload.type
        var buffer = ByteBuffer()
        buffer.append("{\"type\":\"\(type.text)\",\"number\":\(type.number),\"version\":\(type.version),\"data\":")
        payload.writeJSON(into: &buffer)
        buffer.append("}\n")
        return buffer.text
    }
}

extension Payload {
    /// Reads the `data` of a type as the log prints it: with what Belfry worked out, without what it never keeps.
    public static func read(logged data: JSONNode?, of type: String) throws(FieldError) -> Payload {
        guard let empty = Array(type.utf8).withUnsafeBytes(RecordNames.find) else {
            throw FieldError(path: "type", "\(quoted(type)) is not a type of event")
        }
        do { return try read(empty, data, from: .log) } catch { throw error.under("data") }
    }
}
