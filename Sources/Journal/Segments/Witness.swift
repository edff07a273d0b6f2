internal import Hashing
internal import Notices

/// A note beside the log of how much of it has been acknowledged.
///
/// Written after every sync and never synced itself: it may be behind, never ahead. A log that ends before its
/// witness has lost acknowledged commits, so even a cut or a flipped bit at the very end is damage and not a torn tail.
struct Witness: Equatable {
    static let size = 72
    private static let magic: UInt64 = 0x0A54_5352_4C45_42FF

    var identity: LogIdentity
    var position: UInt64
    var lastSeq: UInt64
    var hash: Digest

    init(identity: LogIdentity, position: UInt64, lastSeq: UInt64, hash: Digest) {
        self.identity = identity
        self.position = position
        self.lastSeq = lastSeq
        self.hash = hash
    }

    /// `nil` for what is no whole witness.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fileSize, let start = bytes.baseAddress, bytes.word(0, as: UInt64.self) == Self.magic,
            bytes.word(Self.size, as: UInt32.self) == Checksum.of(bytes.piece(0, Self.size))
        else { return nil }
        identity = LogIdentity(words: (bytes.word(8), bytes.word(16)))
        position = bytes.word(24)
        lastSeq = bytes.word(32)
        hash = Digest(at: start + 40)
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.removeAll()
        buffer.appendLittleEndian(Self.magic)
        buffer.appendLittleEndian(identity.words.0)
        buffer.appendLittleEndian(identity.words.1)
        buffer.appendLittleEndian(position)
        buffer.appendLittleEndian(lastSeq)
        hash.withBytes { buffer.append($0) }
        buffer.appendLittleEndian(Checksum.of(buffer.bytes))
    }

}

/// What the witness file holds. Only a whole one shows how far the log was acknowledged. The other three must be
/// told apart: who takes a damaged witness for a missing one believes a log that may have been cut together with it.
public enum WitnessState: Sendable {
    case whole
    case missing
    /// Empty, or zeros: what a power cut leaves of a file that never was synced.
    case blank
    case damaged(String)

    /// Why the end of the log cannot be held against it, as a sentence without its end; `nil` for a whole one.
    public var doubt: String? {
        switch self {
        case .whole: nil
        case .missing: "the file `durable` is missing"
        case .blank: "the file `durable` is empty, as a power cut leaves it"
        case .damaged(let problem): "the file `durable` is damaged (\(problem))"
        }
    }
}

extension Witness {
    /// A file that is longer is no witness, whatever else it is.
    static let fileSize = size + 4

    /// How often it is read before its checksum is taken for wrong: a writer may be at it.
    private static let readings = 8

    static func read(_ disk: any Disk, _ directory: String) throws(DiskError) -> (
        state: WitnessState, witness: Witness?
    ) {
        for _ in 1..<readings {
            let found = try look(disk, directory)
            if case .damaged = found.state { continue }
            return found
        }
        return try look(disk, directory)
    }

    private static func look(
        _ disk: any Disk, _ directory: String
    ) throws(DiskError) -> (state: WitnessState, witness: Witness?) {
        let file: DiskFile
        do throws(DiskError) {
            file = try disk.open(DiskPath.join(directory, LogFile.witness), .read)
        } catch  where error.isNotFound {
            return (.missing, nil)
        }
        defer { disk.close(file) }
        let size = try disk.size(of: file)
        guard size <= fileSize else { return (.damaged("it has \(size) bytes instead of \(fileSize)"), nil) }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(DiskError) in
            try disk.readAll(file, into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        bytes.removeLast(size - count)
        if bytes.allSatisfy({ $0 == 0 }) { return (.blank, nil) }
        guard let witness = bytes.withUnsafeBytes({ Witness($0) }) else { return (.damaged(problem(with: bytes)), nil) }
        return (.whole, witness)
    }

    private static func problem(with bytes: [UInt8]) -> String {
        guard bytes.count == fileSize else { return "it has \(bytes.count) bytes instead of \(fileSize)" }
        let magic = bytes.withUnsafeBytes { $0.word(0, as: UInt64.self) }
        return magic == Self.magic ? "its checksum does not match" : "its first 8 bytes are not a witness's"
    }

    /// A witness of another log beside this one is a mistake of whoever copied files here.
    func belongs(to log: LogDirectory) throws(JournalError) {
        guard let own = log.identity, own != identity else { return }
        throw .damaged(
            Damage(
                DiskPath.join(log.path, LogFile.witness),
                "this file belongs to another log; remove it if the segments were copied here on purpose"))
    }
}
