public import CivilTime

/// A device that a person may be reached on by push, with the event that holds its address.
public struct RegisteredDevice: Sendable, Equatable {
    public let id: String
    /// The number of the `device_registered` that holds its token and keys.
    public let sequence: UInt64
    /// Where that event's commit is in the log; 0 where the log is not at hand. Nothing is decided by it.
    public internal(set) var position: UInt64
    /// A provider's word about an older registration says nothing of this one (`N3`).
    public let registeredAt: Instant

    public init(id: String, sequence: UInt64, position: UInt64 = 0, registeredAt: Instant) {
        (self.id, self.sequence, self.position, self.registeredAt) = (id, sequence, position, registeredAt)
    }
}

/// A person's devices, in the order in which they were last registered.
///
/// Most people have one device and nothing else that is kept (`Details`), and there are millions of them. So they lie in
/// one piece of memory: 25 bytes a device and its id.
public struct DeviceList: Sendable, Equatable, Sequence {
    private var bytes: ContiguousArray<UInt8> = []

    public init() {}

    public var isEmpty: Bool { bytes.isEmpty }
    public var count: Int { reduce(0) { count, _ in count + 1 } }

    public subscript(id: String) -> RegisteredDevice? { first { $0.id == id } }

    public func makeIterator() -> Iterator { Iterator(bytes: bytes) }

    /// Registering anew moves a device behind the others.
    public mutating func register(_ device: RegisteredDevice) {
        remove(device.id)
        append(device)
    }

    @discardableResult
    public mutating func remove(_ id: String) -> Bool {
        var rest = DeviceList()
        for device in self where device.id != id { rest.append(device) }
        defer { self = rest }
        return rest.bytes.count != bytes.count
    }

    /// Says where the event stands that registered a device.
    mutating func place(_ sequence: UInt64, at position: UInt64) {
        var placed = DeviceList()
        for var device in self {
            if device.sequence == sequence { device.position = position }
            placed.append(device)
        }
        self = placed
    }

    mutating func removeFirst() { if let first = first(where: { _ in true }) { remove(first.id) } }

    private mutating func append(_ device: RegisteredDevice) {
        var grown = ContiguousArray<UInt8>()
        // To the byte: most lists are never added to again.
        grown.reserveCapacity(bytes.count + Self.fixedBytes + device.id.utf8.count)
        grown.append(contentsOf: bytes)
        withUnsafeBytes(of: device.sequence.littleEndian) { grown.append(contentsOf: $0) }
        withUnsafeBytes(of: device.position.littleEndian) { grown.append(contentsOf: $0) }
        withUnsafeBytes(of: device.registeredAt.milliseconds.littleEndian) { grown.append(contentsOf: $0) }
        grown.append(UInt8(device.id.utf8.count))
        grown.append(contentsOf: device.id.utf8)
        bytes = grown
    }

    /// The event's number and place, the instant, the length of the id.
    private static let fixedBytes = 8 + 8 + 8 + 1

    public struct Iterator: IteratorProtocol {
        fileprivate let bytes: ContiguousArray<UInt8>
        private var place = 0

        fileprivate init(bytes: ContiguousArray<UInt8>) { self.bytes = bytes }

        public mutating func next() -> RegisteredDevice? {
            guard place < bytes.count else { return nil }
            let sequence = UInt64(truncatingIfNeeded: word(at: place))
            let position = UInt64(truncatingIfNeeded: word(at: place + 8))
            let instant = Instant(milliseconds: word(at: place + 16))
            let start = place + DeviceList.fixedBytes
            place = start + Int(bytes[start - 1])
            return RegisteredDevice(
                id: String(decoding: bytes[start..<place], as: UTF8.self), sequence: sequence, position: position,
                registeredAt: instant)
        }

        private func word(at place: Int) -> Int64 {
            (0..<8).reduce(0) { $0 | Int64(bytes[place + $1]) << Int64($1 * 8) }
        }
    }
}

extension Person {
    /// Belfry's own word about a registration that another has replaced is ignored.
    func remove(_ fact: DeviceRemoved) {
        let id = fact.device.text
        if let about = fact.registration, let device = devices[id], device.sequence != UInt64(about) { return }
        guard devices.remove(id) else { return }
        if devices.isEmpty { flags.remove(.hasDevice) }
    }

    func register(_ fact: DeviceRegistered, on occasion: Occasion) {
        let id = fact.device.text
        // No sender can have given a longer one; a log can hold anything.
        guard id.utf8.count <= Int(UInt8.max) else { return }
        flags.insert([.hadDevice, .hasDevice])
        // One more than a person may have is not admitted. Where a log holds it, the newest are those still in use.
        if devices[id] == nil, devices.count >= PersonLimits.devices { devices.removeFirst() }
        devices.register(RegisteredDevice(id: id, sequence: occasion.sequence, registeredAt: occasion.at))
    }
}

extension Register {
    /// Says where an event of somebody's stands in the log, where that is to be remembered: a device's address is read there.
    public func place(_ event: Event, at position: UInt64) {
        guard case .deviceRegistered = event.payload, let user = event.user, let number = number(of: user) else {
            return
        }
        self[number].devices.place(event.seq, at: position)
    }
}
