import CivilTime
import Notices
import Testing

/// P16 and N3: which addresses there are, and which of them are dead.
@Suite("P16, addresses that are known and alive")
struct AddressTests {
    private static let mail = #""email":"anna@example.com""#
    private static let onMail = Told.wants(#"{"kinds":{"reminder":{"channels":["email"]}}}"#)
    private static let onSMS = Told.wants(#"{"channels":{"sms":true},"kinds":{"reminder":{"channels":["sms"]}}}"#)
    private static let here = """
        {"name":"ours","addresses":"here","cooldown_minutes":0,"daily_cap":100,"kinds":[{"name":"reminder","on_request":true}]}
        """

    private static func reported(
        _ job: String, on channel: String, _ status: String, permanent: Bool = true, device: String? = nil
    ) -> Told {
        let about = device.map { ",\"device\":\"\($0)\"" } ?? ""
        return Told(
            "delivery_reported",
            "{\"job\":\"anna/\(job)\",\"channel\":\"\(channel)\",\"status\":\"\(status)\",\"permanent\":\(permanent)\(about)}"
        )
    }

    private static func contact(_ data: String) -> Told { Told("contact_changed", "{\(data)}") }

    @Test func `where the addresses are here push needs a registered device`() {
        given(.enrolled(), .permission("granted"), policy: Self.here)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("dropped reminder/#3 no_channel")
            .when(.device("d1"), .requested("reminder"), at: "2026-03-02T10:00Z").then("emitted reminder/#6 [push]")
            .when(.lostDevice("d1"), .requested("reminder"), at: "2026-03-02T11:00Z")
            .then("dropped reminder/#9 no_channel")
            .when(.device("d1"), .permission("denied"), .requested("reminder"), at: "2026-03-02T12:00Z")
            .then("dropped reminder/#13 no_channel")
    }

    @Test
    func `devices stand in the order in which they were last registered, with the event that holds their address`() {
        given(.enrolled(), .device("d1"), .device("d2"))
            .when(.device("d1"), at: "2026-03-02T09:00Z").unwatched(until: "2026-03-02T09:00Z")
            .person { anna in
                #expect(anna.devices.map(\.id) == ["d2", "d1"])
                #expect(anna.devices.map(\.sequence) == [3, 5])
                #expect(anna.devices["d1"]?.registeredAt == Instant(local: "2026-03-02T09:00Z"))
                #expect(anna.devices["d3"] == nil)
            }
    }

    @Test func `a removal that names an older registration says nothing of the one there is`() {
        func gone(_ registration: Int) -> Payload {
            var removed = DeviceRemoved()
            removed.device = Identifier("d1")
            removed.registration = registration
            return .deviceRemoved(removed)
        }
        given(.enrolled(), .noCheckIns, .device("d1"), .device("d1")).hears(gone(3), at: "2026-03-01T12:00Z")
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#6 [push]")
            .hears(gone(4), at: "2026-03-02T10:00Z")
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("dropped reminder/#9 no_channel")
    }

    @Test func `a device that a report says is dead is not used again until it is registered anew`() {
        let dead = Self.reported("reminder/#4", on: "push", "failed", device: "d1")
        given(.enrolled(), .noCheckIns, .device("d1"))
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [push]")
            // It may fail once and is alive; what expired or was delivered says nothing of the address.
            .when(
                Self.reported("reminder/#4", on: "push", "failed", permanent: false, device: "d1"),
                Self.reported("reminder/#4", on: "push", "expired", device: "d1"),
                Self.reported("reminder/#4", on: "push", "delivered", device: "d1"),
                Self.reported("reminder/#4", on: "push", "failed", device: "d2"), at: "2026-03-02T09:10Z"
            )
            .when(.requested("reminder"), at: "2026-03-02T10:00Z").then("emitted reminder/#10 [push]")
            .when(dead, .requested("reminder"), at: "2026-03-02T11:00Z").then("dropped reminder/#13 no_channel")
            .when(.device("d1"), dead, .requested("reminder"), at: "2026-03-02T12:00Z")
            .then("emitted reminder/#17 [push]")
    }

    @Test func `an address that bounced is alive again when it is told anew, and older jobs say nothing of it`() {
        let bounced = Self.reported("reminder/#4", on: "email", "bounced")
        given(.enrolled("UTC", Self.mail), .noCheckIns, Self.onMail)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [email]")
            .when(
                Self.reported("reminder/#4", on: "email", "delivered"),
                Self.reported("reminder/#4", on: "email", "bounced", permanent: false),
                Self.reported("reminder/#4", on: "email", "failed"),
                Self.reported("reminder/#4", on: "push", "bounced"),
                .requested("reminder"), at: "2026-03-02T10:00Z"
            )
            .then("emitted reminder/#10 [email]")
            .when(bounced, .requested("reminder"), at: "2026-03-02T11:00Z").then("dropped reminder/#13 no_channel")
            // A report that comes out of order takes the bounce back for nobody.
            .when(
                Self.reported("reminder/#4", on: "email", "delivered"), .requested("reminder"), at: "2026-03-02T11:30Z"
            )
            .then("dropped reminder/#16 no_channel")
            .when(
                Self.contact(#""email":"anna@example.org""#), bounced, .requested("reminder"), at: "2026-03-02T12:00Z"
            )
            .then("emitted reminder/#20 [email]")
            .when(Self.contact(#""email":null"#), .requested("reminder"), at: "2026-03-02T13:00Z")
            .then("dropped reminder/#23 no_channel")
    }

    private static let addresses = [
        ("push", Told.device("d1"), "d1"), ("email", contact(mail), nil),
        ("sms", contact(#""phone":"+14155550100","phone_verified":true"#), nil),
    ]

    /// The one there was when the job went out, at the latest at the same instant.
    @Test(arguments: addresses, [("08:59:59.999", true), ("09:00:00.000", true), ("09:00:00.001", false)])
    func `a report is about the address of then`(
        address: (channel: String, told: Told, device: String?), given: (time: String, isDead: Bool)
    ) {
        let scenario = WorkerTests.given(.enrolled(), .noCheckIns, .device("d0"))
        let (job, at) = ("2026-03-02T09:00Z", "2026-03-02T\(given.time)Z")
        if given.isDead {
            scenario.when(address.told, at: at).when(.requested("reminder"), at: job)
                .then("emitted reminder/#5 [push]")
        } else {
            scenario.when(.requested("reminder"), at: job).then("emitted reminder/#4 [push]")
                .when(address.told, at: at)
        }
        scenario.when(
            Self.reported(
                given.isDead ? "reminder/#5" : "reminder/#4", on: address.channel,
                address.channel == "email" ? "bounced" : "failed", device: address.device), at: "2026-03-02T10:00Z"
        )
        .contact(about: "reminder") { contact in
            let isThere =
                switch address.channel {
                case "push": contact.devices.contains { $0.name == "d1" }
                case "email": contact.email != nil
                default: contact.phone != nil
                }
            #expect(isThere != given.isDead)
        }
    }

    @Test func `a mail that was only too late says nothing of its address`() {
        let late = Told(
            "job_failed",
            #"{"job":"anna/reminder/#4","channel":"email","reason":"too_late","permanent":true}"#)
        given(.enrolled("UTC", Self.mail), .noCheckIns, Self.onMail)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#4 [email]")
            .when(late, .requested("reminder"), at: "2026-03-02T10:00Z").then("emitted reminder/#7 [email]")
    }

    @Test func `another number is unverified, unless the app has verified it itself`() {
        given(.enrolled("UTC", #""phone":"+14155550100""#), .noCheckIns, Self.onSMS)
            .when(Self.contact(#""phone_verified":true"#), .requested("reminder"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#5 [sms]")
            .when(Self.contact(#""phone":"+14155550100""#), .requested("reminder"), at: "2026-03-02T10:00Z")
            .then("emitted reminder/#8 [sms]")
            .when(Self.contact(#""phone":"+14155550101""#), .requested("reminder"), at: "2026-03-02T11:00Z")
            .then("dropped reminder/#11 no_channel")
            .when(
                Self.contact(#""phone":"+14155550102","phone_verified":true"#), .requested("reminder"),
                at: "2026-03-02T12:00Z"
            )
            .then("emitted reminder/#14 [sms]")
            .when(Self.contact(#""phone":null"#), .requested("reminder"), at: "2026-03-03T09:00Z")
            .then("dropped reminder/#17 no_channel")
            .refuses(
                Self.contact(#""phone_verified":true"#), at: "2026-03-03T10:00Z",
                "data.phone_verified: no phone of this person is known; give it with phone")
    }

    @Test func `a number that is dead is not used again until it is given or verified anew`() {
        let dead = Self.reported("reminder/#5", on: "sms", "failed")
        given(.enrolled("UTC", #""phone":"+14155550100""#), .noCheckIns, Self.onSMS)
            .when(Self.contact(#""phone_verified":true"#), .requested("reminder"), at: "2026-03-02T09:00Z")
            .then("emitted reminder/#5 [sms]")
            .when(
                Self.reported("reminder/#5", on: "sms", "failed", permanent: false),
                Self.reported("reminder/#5", on: "sms", "expired"), .requested("reminder"), at: "2026-03-02T10:00Z"
            )
            .then("emitted reminder/#9 [sms]")
            .when(dead, .requested("reminder"), at: "2026-03-02T11:00Z").then("dropped reminder/#12 no_channel")
            // What comes late about a text of before says nothing of the number that was given since.
            .when(Self.contact(#""phone":"+14155550100""#), dead, .requested("reminder"), at: "2026-03-02T12:00Z")
            .then("emitted reminder/#16 [sms]")
            .when(
                .failed("reminder/#16", on: "sms", permanent: true), .requested("reminder"), at: "2026-03-02T13:00Z"
            )
            .then("dropped reminder/#19 no_channel")
            .when(Self.contact(#""phone_verified":true"#), .requested("reminder"), at: "2026-03-03T09:00Z")
            .then("emitted reminder/#22 [sms]")
    }

    @Test(arguments: [
        ("a,b@example.org", "has something before the @ that is no name of a mailbox"),
        ("jürgen@example.org", "has letters beyond ASCII before the @, which most mail relays do not take"),
        (
            "anna@münchen.example",
            "has letters beyond ASCII after the @; write the domain as mail servers know it (xn--…)"
        ),
        ("anna@-example.org", "has something after the @ that is no domain"),
    ])
    func `an address that no mail can be sent to is refused when it is given`(address: String, why: String) {
        given(.enrolled())
            .refuses(Self.contact("\"email\":\"\(address)\""), at: "2026-03-01T12:01Z", "data.email: \(why)")
            .refuses(
                .enrolled("UTC", "\"email\":\"\(address)\""), at: "2026-03-01T12:02Z", "data.email: \(why)")
    }

    @Test func `a code for a number that was given up verifies nothing`() {
        given(.enrolled(), .asksForCode("+4915112345678"), Self.contact(#""phone":"+4915187654321""#))
            .refuses(
                .enters(code: "345678"), at: "2026-03-01T12:01Z",
                "data.code: no code is waited for; phone_verification_requested sends one")
    }

    @Test func `what is held is considered again when an address comes or goes`() {
        given(.enrolled("UTC", Self.mail), .noCheckIns, Self.onMail)
            .when(.requested("reminder"), at: "2026-03-02T23:00Z")
            .then("held reminder/#4 until 2026-03-03T08:00Z quiet_hours")
            .when(Self.contact(#""email":null"#), at: "2026-03-02T23:30Z").then("dropped reminder/#4 no_channel")
    }
}

/// A device is refused where nobody could ever send to it.
@Suite("device_registered, its fields fit one another")
struct DeviceAdmissionTests {
    private static let key = "B" + String(repeating: "A", count: 86)
    private static let secret = String(repeating: "A", count: 22)

    private static func device(_ platform: String, _ more: String, token: String = "t") -> Told {
        Told("device_registered", "{\"device\":\"d\",\"platform\":\"\(platform)\",\"token\":\"\(token)\"\(more)}")
    }

    @Test(arguments: [
        ("ios", "", "t"), ("ios", #","provider":"fcm","address":"fid""#, "t"),
        ("ios", #","environment":"sandbox","app":"org.example""#, "t"), ("android", "", "t"),
        ("web", "", "whatever the app's server knows"), ("web", #","provider":"fcm""#, "t"),
        ("web", ",\"p256dh\":\"\(key)=\",\"auth\":\"\(secret)==\"", "https://push.example.org/abc"),
    ])
    func `is taken`(platform: String, more: String, token: String) {
        let token = token.replacing(" ", with: "-")
        given(.enrolled()).when(Self.device(platform, more, token: token), at: "2026-03-01T12:00Z")
            .person { #expect($0.devices.count == 1) }
    }

    @Test(arguments: [
        ("ios", "", "zz", true), ("ios", #","provider":"apns""#, "../../../x", true), ("ios", "", "0aF9", false),
        ("ios", #","provider":"fcm""#, "zz", false), ("android", "", "zz", false),
    ])
    func `with a token that is none of Apple's it is taken, and warned of`(
        platform: String, more: String, token: String, isStrange: Bool
    ) {
        let told = given(.enrolled()).when(Self.device(platform, more, token: token), at: "2026-03-01T12:00Z")
        if isStrange {
            told.warns("the token of device d is not hexadecimal, as Apple's are: apns cannot reach it")
        } else {
            told.warns()
        }
        told.person { #expect($0.devices.count == 1) }
    }

    @Test(arguments: [
        ("android", #","provider":"apns""#, "t", "provider: apns does not reach android (allowed here: fcm)"),
        ("ios", #","provider":"webpush""#, "t", "provider: webpush does not reach ios (allowed here: apns, fcm)"),
        ("android", #","environment":"sandbox""#, "t", "environment: sandbox is apns's; fcm has none"),
        ("ios", #","address":"fid""#, "t", "address: fid is fcm's; apns takes a token"),
        ("ios", #","auth":"x""#, "t", "auth: is webpush's; apns has no such key"),
        (
            "web", #","provider":"webpush""#, "t",
            "token: is no https: URL; for webpush it is the subscription's endpoint"
        ),
        (
            "web", #","provider":"webpush""#, "http://push.example.org/a",
            "token: is no https: URL; for webpush it is the subscription's endpoint"
        ),
        (
            "web", ",\"auth\":\"\(secret)\"", "https://push.example.org/a",
            "p256dh: is the subscription's public key, 65 bytes in base64url; webpush needs it"
        ),
        (
            "web", ",\"p256dh\":\"\(key)\",\"auth\":\"AAAA\"", "https://push.example.org/a",
            "auth: is the subscription's secret, 16 bytes in base64url; webpush needs it"
        ),
    ])
    func `is refused by path`(platform: String, more: String, token: String, words: String) {
        given(.enrolled()).refuses(Self.device(platform, more, token: token), at: "2026-03-01T12:00Z", "data." + words)
    }
}
