/// Channels as one byte, so that set operations allocate nothing.
public struct ChannelSet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue & 0b1111 }

    public init(_ channel: Channel) { self.init(rawValue: 1 << UInt8(channel.rawValue - 1)) }

    public init(_ channels: [Channel]) { self = channels.reduce(into: []) { $0.insert(ChannelSet($1)) } }

    public static let push = ChannelSet(.push)
    public static let email = ChannelSet(.email)
    public static let sms = ChannelSet(.sms)
    public static let inApp = ChannelSet(.inApp)
    /// Those that reach a person who is not in the app, and ring (`P17`).
    public static let ringing: ChannelSet = [.push, .email, .sms]

    /// In the order in which they are tried.
    public var list: [Channel] { Self.lists[Int(rawValue)] }

    private static let lists: [[Channel]] = (0..<16).map { raw in
        Channel.allCases.filter { UInt8(raw) & 1 << UInt8($0.rawValue - 1) != 0 }
    }
}
