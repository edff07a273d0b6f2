internal import CivilTime

/// Finds a type by the name it has in JSON, without making a `String` of it.
enum RecordNames {
    private static let byName: [(name: StaticString, payload: Payload)] = Payload.all
        .map { ($0.type.name, $0) }
        .sorted { "\($0.0)" < "\($1.0)" }

    static func find(_ name: UnsafeRawBufferPointer) -> Payload? {
        var low = 0
        var high = byName.count
        while low < high {
            let middle = (low + high) / 2
            let order = compare(name, byName[middle].name)
            if order == 0 { return byName[middle].payload }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    private static func compare(_ left: UnsafeRawBufferPointer, _ right: StaticString) -> Int {
        let shared = min(left.count, right.utf8CodeUnitCount)
        for index in 0..<shared where left[index] != right.utf8Start[index] {
            return Int(left[index]) - Int(right.utf8Start[index])
        }
        return left.count - right.utf8CodeUnitCount
    }

    /// The known name nearest to a mistyped one, when it is near enough to be meant.
    static func nearest(to name: String, side: RecordType.Side) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        return NearestName.of(name, among: Payload.all.map(\.type).filter { $0.side == side }.map(\.text))
    }
}
