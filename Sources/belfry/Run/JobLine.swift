import Notices

/// One job in a line: when, to whom, what, by which way, and its words.
struct JobLine {
    let text: String

    init(_ event: JSONValue) {
        let data = event["data"]
        func word(_ value: JSONValue?) -> String {
            if case .string(let text)? = value { return text }
            return ""
        }
        var channels: [String] = []
        if case .array(let list)? = data?["channels"] { channels = list.map { word($0) } }
        let subject = word(data?["subject"])
        text =
            "\(word(event["at"]))  \(word(event["user"]))  \(word(data?["kind"]))\(subject.isEmpty ? "" : " " + subject)"
            + "  \(channels.joined(separator: "+"))  “\(word(data?["title"]))”  \(word(data?["body"]))"
    }
}
