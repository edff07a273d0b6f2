internal import Hashing

/// Message Encryption for Web Push (RFC 8291): only the browser that subscribed can read what is sent to it.
enum WebPushSealing {
    /// What fits into one record of 4096 bytes: less the header (86), the tag (16) and the mark of the end (1).
    static let plainBytesMax = 3993

    private static let recordBytes: UInt32 = 4096
    private static let saltBytes = 16
    private static let endOfLastRecord: UInt8 = 2

    /// The body of a request with `Content-Encoding: aes128gcm`. `nil` where the subscription's key is no point of P-256.
    static func sealed(_ plain: [UInt8], for subscription: WebPushSubscription) -> [UInt8]? {
        sealed(plain, for: subscription, by: .newP256(), salt: randomBytes(saltBytes))
    }

    /// - Parameter key: made for this message alone.
    static func sealed(
        _ plain: [UInt8], for subscription: WebPushSubscription, by key: SigningKey, salt: [UInt8]
    ) -> [UInt8]? {
        precondition(plain.count <= plainBytesMax, "more than one record of Web Push")
        let browser = subscription.publicKey
        guard let agreement = ContentSealing.agreement(key, with: browser) else { return nil }
        let keyInfo = Array("WebPush: info\0".utf8) + browser + key.publicPoint
        let secret = ContentSealing.hkdfSHA256(
            salt: subscription.authSecret, secret: agreement, info: keyInfo, count: 32)
        let contentKey = ContentSealing.hkdfSHA256(
            salt: salt, secret: secret, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        let nonce = ContentSealing.hkdfSHA256(
            salt: salt, secret: secret, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
        let length = withUnsafeBytes(of: recordBytes.bigEndian) { Array($0) }
        let header = salt + length + [UInt8(key.publicPoint.count)] + key.publicPoint
        return header + ContentSealing.aes128gcm(plain + [endOfLastRecord], key: contentKey, nonce: nonce)
    }
}
