import Delivery
import Foundation

/// What somebody answers to a text, as Twilio tells it.
struct WordsToTwilio {
    private let shell: Shell
    private let token: String

    init(_ shell: Shell, token: String) {
        self.shell = shell
        self.token = token
    }

    /// - Parameter signed: the word that Twilio's signature is about, where it is another.
    func say(
        _ word: String, from number: String, to port: WorkerPort, _ sid: String = "SM1", signing signed: String? = nil
    ) throws -> HTTPAnswer {
        // Twilio's signature: the URL, then every field's name and value in their order.
        let fields = [("Body", signed ?? word), ("From", number), ("MessageSid", sid), ("SmsStatus", "received")]
        let message = fields.reduce("https://bell.example.org/v1/providers/twilio") { $0 + $1.0 + $1.1 }
        let signature = shell.bash("printf %s '\(message)' | openssl dgst -sha1 -hmac '\(token)' -binary | base64")
        let body = "Body=\(word)&From=\(number.replacing("+", with: "%2B"))&MessageSid=\(sid)&SmsStatus=received"
        return try port.ask(
            .post, "v1/providers/twilio", nil, Array(body.utf8),
            headers: [
                ("X-Twilio-Signature", String(signature.output.dropLast())),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ])
    }
}
