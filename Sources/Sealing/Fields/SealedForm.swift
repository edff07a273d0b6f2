internal import Hashing
public import Notices

/// How a sealed field is written (FORMAT.md): a mark, 16 bytes of code, and what is sealed, padded to whole blocks.
///
/// The mark begins no text in UTF-8 and no protobuf message, so whoever meets it where one of these may stand knows that the
/// field is sealed. The padding hides how long a text is but for its blocks, and lets an empty field be proved like any other.
public enum SealedForm {
    /// Under the person's key.
    public static let mark: UInt8 = 0xFE
    /// Under a key of the person's and a week's: the mark and two bytes with the week's number.
    public static let weekMark: UInt8 = 0xFF
    static let block = 16
    static let paddingMark: UInt8 = 0x80

    /// The mark, and the week where there is one.
    static func markBytes(_ week: TextWeek?) -> Int { week == nil ? 1 : 3 }

    /// How many bytes a field of so many takes when it is sealed: from 18 to 33 more, and 2 with a week.
    public static func size(sealing count: Int, of week: TextWeek? = nil) -> Int {
        markBytes(week) + SIVCipher.codeBytes + (count / block + 1) * block
    }

    /// Whether a field's bytes say that they are sealed.
    public static func isSealed(_ value: UnsafeRawBufferPointer) -> Bool {
        value.first == mark || value.first == weekMark
    }

    /// What was sealed, with its code, and under which week's key; `nil` for what is no mark, code and whole blocks.
    static func parts(of value: UnsafeRawBufferPointer) -> (code: UnsafeRawBufferPointer, week: TextWeek?)? {
        guard isSealed(value) else { return nil }
        let hasWeek = value.first == weekMark
        let before = hasWeek ? 3 : 1
        let size = value.count - before - SIVCipher.codeBytes
        guard size >= block, size.isMultiple(of: block) else { return nil }
        let week =
            hasWeek ? TextWeek(number: value.loadUnaligned(fromByteOffset: 1, as: UInt16.self).littleEndian) : nil
        return (value.piece(before, value.count - before), week)
    }

    /// How many bytes there are in front of the padding; `nil` where there is none.
    static func length(of padded: UnsafeMutableRawBufferPointer) -> Int? {
        for at in padded.indices.suffix(block).reversed() where padded[at] != 0 {
            return padded[at] == paddingMark ? at : nil
        }
        return nil
    }
}
