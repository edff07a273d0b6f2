/// How a sealed field is written (FORMAT.md): a mark, 16 bytes of code, and what is sealed, padded to whole blocks.
///
/// The mark begins no text in UTF-8 and no protobuf message, so whoever meets it where one of these may stand knows that the
/// field is sealed. The padding hides how long a text is but for its blocks, and lets an empty field be proved like any other.
public enum SealedForm {
    /// The only form there is; others may follow (`F8` to `FD`).
    public static let mark: UInt8 = 0xFE
    static let block = 16
    static let paddingMark: UInt8 = 0x80
    static let bytesBefore = 17
    /// A mark, a code and a block.
    static let bytesMin = bytesBefore + block

    /// How many bytes a field of so many takes when it is sealed: from 17 to 33 more.
    public static func size(sealing count: Int) -> Int { bytesBefore + (count / block + 1) * block }

    /// Whether a field's bytes say that they are sealed.
    public static func isSealed(_ value: UnsafeRawBufferPointer) -> Bool { value.first == mark }

    /// Whether they can be: a mark, a code and whole blocks.
    static func isWhole(_ value: UnsafeRawBufferPointer) -> Bool {
        isSealed(value) && value.count >= bytesMin && (value.count - bytesBefore).isMultiple(of: block)
    }

    /// How many bytes there are in front of the padding; `nil` where there is none.
    static func length(of padded: UnsafeMutableRawBufferPointer) -> Int? {
        for at in padded.indices.suffix(block).reversed() where padded[at] != 0 {
            return padded[at] == paddingMark ? at : nil
        }
        return nil
    }
}
