internal import Notices

/// Which sender takes a job to an address. Each has a lane of its own, so that none waits for another (`N5`).
enum Post: Sendable, Hashable {
    case apns
    case fcm
    case webPush(PushService)
    case email
    case sms
    /// A sink, by where the document names it (first): what waits for it goes where that leads when it goes.
    case sink(path: String)

    /// How reasons and the log call it.
    var name: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .webPush(let service): service.name
        case .email: "smtp"
        case .sms: "twilio"
        case .sink(let path): path
        }
    }

    /// How figures call it.
    var label: String {
        switch self {
        case .webPush(let service): service.label
        case .apns, .fcm, .email, .sms, .sink: name
        }
    }

    /// Whether it is many that know nothing of one another.
    var isShared: Bool { self == .webPush(.others) }
}

/// Who takes what, as the senders' document says it.
struct PostRules: Sendable {
    /// Channels that a sender or a sink is named for; jobs on others go to the sinks of the command line.
    var channels: ChannelSet
    /// Those that give way when they fail, whatever the policy says.
    var fallback: ChannelSet
    var push: Set<PushProvider>
    /// Origins of push services that may be of a private network, and have a lane each whatever others there are.
    var trusted: Set<String> = []
    /// The sinks of channels that have no provider.
    var sinks: [Channel: Post] = [:]

    /// Whom the document names, each once. Which push services of browsers there are is known when somebody is reached by one.
    var named: [Post] {
        var posts: [Post] = []
        if push.contains(.apns) { posts.append(.apns) }
        if push.contains(.fcm) { posts.append(.fcm) }
        if push.contains(.webpush) { posts.append(.webPush(.others)) }
        for channel in Channel.allCases where channels.contains(ChannelSet(channel)) {
            let post: Post?
            switch channel {
            case .email: post = sinks[channel] ?? Post.email
            case .sms: post = sinks[channel] ?? Post.sms
            case .push, .inApp: post = sinks[channel]
            }
            if let post, !posts.contains(post) { posts.append(post) }
        }
        return posts
    }

    /// Who takes jobs to a device; `nil` where no sender does.
    func post(for address: Device.Address) -> Post? {
        switch address {
        case .apns: push.contains(.apns) ? .apns : nil
        case .fcm: push.contains(.fcm) ? .fcm : nil
        case .webPush(let subscription):
            push.contains(.webpush)
                ? .webPush(PushService(origin: subscription.endpoint.origin, trusted: trusted)) : nil
        }
    }
}

extension PostRules {
    init(_ document: SendersDocument, _ senders: OpenSenders) {
        channels = ChannelSet(Array(document.channels))
        fallback = ChannelSet(Array(document.fallback))
        push = []
        if document.apns != nil { push.insert(.apns) }
        if document.fcm != nil { push.insert(.fcm) }
        if document.webPush != nil { push.insert(.webpush) }
        trusted = Set(document.webPush?.trusted ?? [])
        sinks = senders.sinks.posts
    }
}

/// Who takes what waits in a lane: an account at a provider, or a sink. With another secret or other limits it is the same.
enum Taker: Sendable, Equatable {
    /// - Parameter at: in place of the provider's own servers.
    case account(String?, at: String?)
    case sink(SinkSpec)
}

/// Where a job is sent, in full.
enum PostalAddress: Sendable, Equatable {
    case device(Device)
    case email(String)
    case phone(String)
    /// Whatever the sink makes of the job, for these channels.
    case sink(Post, [Channel])
}
