internal import Hashing

/// The names under which providers and devices know a job. They derive from its id, so that a job that is sent twice is
/// shown once.
enum MessageNames {
    /// Replaces what was shown of the same job: 32 characters of base64url, which fit APNs' `apns-collapse-id`, Web Push's
    /// `Topic` and FCM's `tag`.
    static func collapse(_ job: String) -> String {
        String(Base64.encodeURL(Digest(of: Array(job.utf8)).bytes).prefix(32))
    }

    /// A UUID for a job and one device, or one address: the same whenever it is sent.
    static func uuid(_ job: String, for address: String) -> String {
        NameUUID.text("\(job)\n\(address)", in: space)
    }

    /// 6fc0b7a4-2d0e-5a1c-9d53-be1f4f3a7c11, made for this.
    private static let space: [UInt8] = [
        0x6F, 0xC0, 0xB7, 0xA4, 0x2D, 0x0E, 0x5A, 0x1C, 0x9D, 0x53, 0xBE, 0x1F, 0x4F, 0x3A, 0x7C, 0x11,
    ]
}
