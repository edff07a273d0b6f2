internal import COpenSSL

/// 16 random bytes from the operating system, for the identity of a new log.
public func randomIdentity() -> (UInt64, UInt64) {
    var words: (UInt64, UInt64) = (0, 0)
    let isFilled = withUnsafeMutableBytes(of: &words) { raw in
        RAND_bytes(raw.baseAddress, Int32(raw.count)) == 1
    }
    precondition(isFilled, "the operating system gave no random bytes")
    return words
}

/// Random bytes from the operating system, for keys and salts.
public func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    precondition(RAND_bytes(&bytes, Int32(count)) == 1, "the operating system gave no random bytes")
    return bytes
}
