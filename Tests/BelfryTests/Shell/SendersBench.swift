import CivilTime
import Delivery
import Foundation
import Testing

/// A worker that sends by itself, to providers that are made for a test.
class SendersBench {
    let shell = Shell()

    static let policy = """
        {"name":"mine","cooldown_minutes":0,"kinds":[
         {"name":"note","on_request":true,"channels":["push"]},
         {"name":"both","on_request":true,"channels":["push","email"]},
         {"name":"mail","label":"News & <b>offers</b>","on_request":true,"channels":["email"]}]}
        """

    // MARK: Starting

    func secret(_ text: String, _ name: String) throws {
        try shell.write(text, to: name)
        #expect(chmod(shell.path(name), 0o600) == 0)
    }

    /// Starts a worker with these senders, one on whom nobody ever rings too late.
    func start(_ senders: String, _ words: String...) throws -> (worker: Running, door: WorkerDoor) {
        try shell.write(senders, to: "senders.json")
        try shell.write(Self.policy, to: "mine.json")
        let worker = shell.start(
            ["run", "--policy", "mine.json", "--senders", "senders.json", "--jobs", "spool:spool"] + words)
        try worker.expectReady()
        return (worker, WorkerDoor(shell))
    }

    func push(_ provider: Provider, isGivingWay: Bool = false) throws -> String {
        let keys = try Provider.keys(shell)
        try secret(try #require(keys["p256"]), "apns.p8")
        let account = [
            "type": "service_account", "project_id": "p", "private_key_id": "k1",
            "client_email": "bell@p.iam.gserviceaccount.com", "private_key": try #require(keys["rsa"]),
            "token_uri": "https://127.0.0.1:\(provider.port)/token",
        ]
        try secret(
            String(decoding: try JSONSerialization.data(withJSONObject: account), as: UTF8.self), "account.json")
        let server = "\"url\":\"https://127.0.0.1:\(provider.port)\",\"ca_file\":\"\(provider.caFile)\""
        return """
            "push":{"fallback":\(isGivingWay),
             "apns":{"key_file":"apns.p8","key_id":"ABC123DEFG","team_id":"TEAM456789","topic":"org.example.app",\(server)},
             "fcm":{"key_file":"account.json",\(server)}}
            """
    }

    func mail(_ relay: Provider, isGivingWay: Bool = false) throws -> String {
        try secret("ding dong\n", "smtp.secret")
        return """
            "public_url":"https://bell.example.org",
            "email":{"fallback":\(isGivingWay),"smtp":{"url":"smtp://localhost:\(relay.port)","user":"bell","password_file":"smtp.secret",
             "from":"Bell <bell@belfry.dev>","ca_file":"\(relay.caFile)"}}
            """
    }

    func enrol(_ channels: String = #"{"push":true,"email":true}"#) -> String {
        fact("user_enrolled", data: #"{"timezone":"UTC","email":"anna@example.org"}"#)
            + fact(
                "preferences_changed",
                data: #"{"patch":{"channels":\#(channels),"quiet_hours":{"enabled":false}}}"#)
    }

    func request(_ kind: String) -> String {
        fact("notice_requested", data: #"{"kind":"\#(kind)","title":"Hello","body":"There"}"#)
    }

    /// What `provider_server.py` reads an address of APNs as.
    func token(_ name: String) -> String {
        let padded = name.padding(toLength: 32, withPad: ".", startingAt: 0)
        return padded.utf8.map { String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
    }

    func register(_ device: String, _ behaviour: String, platform: String = "ios") -> String {
        let address = platform == "ios" ? token(behaviour) : behaviour
        return fact(
            "device_registered",
            data: #"{"device":"\#(device)","platform":"\#(platform)","token":"\#(address)"}"#)
    }

    // MARK: Watching

    /// What curl is answered at a mail's link. A form presses it as mail programs do: no cookie, no sign-in, no redirect followed
    /// (RFC 8058).
    func curl(_ link: some StringProtocol, at port: Int, _ form: String...) -> Outcome {
        let command = ["/usr/bin/env", "curl", "--silent", "--show-error", "--include", "--noproxy", "*"]
        return Running(command + form + ["http://127.0.0.1:\(port)\(link)"], in: shell.directory.path).end()
    }

    func events(_ type: String, _ count: Int, while worker: Running) throws -> [LoggedEvent] {
        try shell.events(type, count, while: worker)
    }

    func lines(_ type: String) -> [String] { shell.belfry("log", "--type", type).lines }

    /// Of a mail, as a relay made for a test tells it.
    static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
    }
}
