extension UInt8 {
    /// Of ASCII.
    @inline(__always)
    var isLetterOrDigit: Bool {
        let letter = self | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
            || self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }
}
