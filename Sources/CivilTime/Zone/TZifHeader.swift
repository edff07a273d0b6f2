/// One of the headers of a TZif file: the version and how much of everything follows.
struct TZifHeader: Equatable, Sendable {
    var version: UInt8
    var universalCount: Int
    var standardCount: Int
    var leapCount: Int
    var transitionCount: Int
    var typeCount: Int
    var characterCount: Int

    init(_ cursor: inout ByteCursor) throws(TZifError) {
        for byte in "TZif".utf8 {
            guard try cursor.byte() == byte else { throw .notTZif }
        }
        version = try cursor.byte()
        try cursor.skip(15)
        universalCount = try cursor.count()
        standardCount = try cursor.count()
        leapCount = try cursor.count()
        transitionCount = try cursor.count()
        typeCount = try cursor.count()
        characterCount = try cursor.count()
    }

    /// Versions after 4 are promised to be readable as version 4 (RFC 9636, §3.1).
    var isVersion2OrLater: Bool { version >= UInt8(ascii: "2") }

    /// The size of the data block after this header. Counts have 32 bits, so the sum cannot overflow.
    func blockSize(timeSize: Int) -> Int {
        transitionCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4)
            + standardCount + universalCount
    }
}
