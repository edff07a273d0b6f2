public import Notices

/// Who sends what (`N1`), as the operator wrote it down: `run --senders FILE`. Secrets are named by file, never written here;
/// relative paths start at the document's folder.
public struct SendersDocument: Sendable, Equatable {
    /// How many calls at once and how many a second.
    public struct Limits: Sendable, Equatable {
        public var calls: Int?
        public var perSecond: Int?
    }

    public struct APNs: Sendable, Equatable {
        public var keyFile: String
        public var keyID: String
        public var teamID: String
        public var topic: String
        public var mayBeCritical: Bool
        public var server: Server
    }

    public struct FCM: Sendable, Equatable {
        public var keyFile: String
        public var server: Server
    }

    public struct WebPush: Sendable, Equatable {
        public var keyFile: String
        public var subject: String
        /// Where a click leads on a message that names no page.
        public var page: String?
        /// Origins that may be of a private network.
        public var trusted: [String]
        public var server: Server
    }

    public struct SMTP: Sendable, Equatable {
        public var url: String
        public var user: String?
        public var passwordFile: String?
        public var from: String
        public var bounceDomain: String?
        public var server: Server
    }

    public struct Twilio: Sendable, Equatable {
        public var account: String
        public var tokenFile: String
        public var from: String
        public var server: Server
    }

    /// A sink in place of providers: `email.spool`, `all.webhook`.
    public struct SinkPart: Sendable, Equatable {
        /// Where it stands in the document.
        public var path: String
        /// `nil` for every channel that nothing else is named for.
        public var channel: Channel?
        public var kind: Kind

        public enum Kind: Sendable, Equatable {
            case stdout
            case spool(directory: String)
            case webhook(Webhook)
        }
    }

    public struct Webhook: Sendable, Equatable {
        public enum Place: Sendable, Equatable {
            case url(String)
            case file(String)
        }

        public var place: Place
        public var secretFile: String
        public var server: Server
    }

    public struct Analyser: Sendable, Equatable {
        public var url: String
        public var model: String
        public var keyFile: String?
        public var server: Server
    }

    /// How providers' reports are told from anybody's (`N3`). Twilio signs with the token of `sms.twilio`.
    public struct Reports: Sendable, Equatable {
        public struct Basic: Sendable, Equatable {
            public var user: String
            public var passwordFile: String
        }

        /// Holds the verification key of SendGrid's console.
        public var sendGridKeyFile: String?
        /// The ARN of the one topic that is believed.
        public var sesTopic: String?
        public var postmark: Basic?
        public var standardSecretFile: String?

        var ofMails: Set<MailReporter> {
            Set([postmark.map { _ in .postmark }, sendGridKeyFile.map { _ in .sendGrid }].compactMap(\.self))
        }
    }

    /// What every sender has.
    public struct Server: Sendable, Equatable {
        /// In place of the provider's own.
        public var url: String?
        public var caFile: String?
        public var limits: Limits
    }

    /// What people reach of Belfry, without a slash at its end.
    public var publicURL: String?
    /// What links, bounce addresses and codes are made with; where none is named, the worker makes one beside its log.
    public var secretFile: String?
    public var apns: APNs?
    public var fcm: FCM?
    public var webPush: WebPush?
    public var smtp: SMTP?
    public var twilio: Twilio?
    /// One a channel at most, where no provider is named for it, and one for all that is left.
    public var sinks: [SinkPart] = []
    public var analyser: Analyser?
    public var reports = Reports()
    /// Channels that give way to the person's next one when they fail (`N4`).
    public var fallback: Set<Channel> = []

    public static let bytesMax = 1 << 20

    /// - Parameter folder: where relative paths start.
    public init(_ text: String, folder: String) throws(SendersError) {
        let tape = JSONTape(limits: JSONLimits(bytesMax: Self.bytesMax, depthMax: 16))
        let node: JSONNode
        do { node = try tape.parse(text) } catch { throw SendersError("", "is not JSON: \(error)") }
        var reader = try SendersReader(DocumentReader(JSONValue(node), at: ""), folder: folder)
        try reader.read(into: &self)
    }

    /// Channels that somebody is named for; jobs on others go where `--jobs` says.
    public var channels: Set<Channel> {
        if leavesNothing { return Set(Channel.allCases) }
        return Set(sinks.compactMap(\.channel)).union(providers)
    }

    /// Channels that a provider is named for.
    var providers: Set<Channel> {
        var channels: Set<Channel> = []
        if apns != nil || fcm != nil || webPush != nil { channels.insert(.push) }
        if smtp != nil { channels.insert(.email) }
        if twilio != nil { channels.insert(.sms) }
        return channels
    }

    /// Whether somebody is named for every channel, so that `--jobs` is given nothing.
    public var leavesNothing: Bool { sinks.contains { $0.channel == nil } }

    /// Reads it from a file.
    public static func read(_ path: String) throws(SendersError) -> SendersDocument {
        let (bytes, access): ([UInt8], SystemFiles.Access)
        do throws(SystemFailure) { (bytes, access) = try SystemFiles.readSecret(path, bytesMax: bytesMax) } catch {
            throw SendersError("", "cannot be read: cannot \(error)")
        }
        // Whoever changes it has our secrets sent elsewhere.
        guard !access.contains(.anybodyWrites) else {
            throw SendersError(
                "",
                "is not believed: every user of this machine may change \(path); `chmod 600 \(path)` keeps it to its owner"
            )
        }
        return try SendersDocument(String(decoding: bytes, as: UTF8.self), folder: SystemFiles.parent(of: path))
    }
}
