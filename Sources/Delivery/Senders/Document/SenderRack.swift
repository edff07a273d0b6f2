internal import Hashing
internal import Synchronization

/// Whoever a part of the senders' document opens: a sender, or the analyser.
protocol DocumentSender: Sendable {
    associatedtype Settings: Equatable, Sendable

    /// Gives up what is under way; `done` is called when that is over.
    func close(_ done: @escaping @Sendable () -> Void)
}

extension APNsSender: DocumentSender {}
extension FCMSender: DocumentSender {}
extension WebPushSender: DocumentSender {}
extension EmailSender: DocumentSender {}
extension TwilioSender: DocumentSender {}
extension Analyser: DocumentSender {}

/// A part of the senders' document with all that was read for it, not opened yet.
struct SenderPlan<Sender: DocumentSender> {
    let settings: Sender.Settings
    let open: () -> Sender

    init(_ settings: Sender.Settings, open: @escaping () -> Sender) {
        self.settings = settings
        self.open = open
    }
}

/// The senders that documents name, and the analyser. One that the next document wants alike stays as it is, with its
/// connections, its tokens and what it has learnt of its provider.
public final class SenderRack: Sendable {
    let apns = SenderShelf<APNsSender>()
    let fcm = SenderShelf<FCMSender>()
    let webPush = SenderShelf<WebPushSender>()
    let email = SenderShelf<EmailSender>()
    let sms = SenderShelf<TwilioSender>()
    let analyser = SenderShelf<Analyser>()

    public init() {}
}

/// Those of one sort that are open.
///
/// Safe to share: under a lock.
final class SenderShelf<Sender: DocumentSender>: Sendable {
    /// All that one is made of: whatever else is another sender.
    struct Key: Equatable, Sendable {
        var settings: Sender.Settings
        /// Of the files that were read for it.
        var files: Digest
    }

    private struct Held: Sendable {
        let key: Key
        let sender: Sender
        /// How many documents use it: the one in force, and those before it that are leaving.
        var uses = 1
    }

    private let all = Mutex<[Held]>([])

    /// The one that is open, or a new one.
    func take(_ key: Key, open: () -> Sender) -> Sender {
        all.withLock { all in
            if let place = all.firstIndex(where: { $0.key == key }) {
                all[place].uses += 1
                return all[place].sender
            }
            let sender = open()
            all.append(Held(key: key, sender: sender))
            return sender
        }
    }

    /// Closes it where no other document uses it; `done` is called when that is over.
    func giveBack(_ key: Key, _ done: @escaping @Sendable () -> Void) {
        let idle = all.withLock { all -> Sender? in
            guard let place = all.firstIndex(where: { $0.key == key }) else { return nil }
            all[place].uses -= 1
            return all[place].uses == 0 ? all.remove(at: place).sender : nil
        }
        guard let idle else { return done() }
        idle.close(done)
    }
}
