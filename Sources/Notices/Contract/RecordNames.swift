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
        let near = Payload.all.filter { $0.type.side == side }
            .map { (name: $0.type.text, distance: editDistance(name, $0.type.text)) }
            .min { $0.distance < $1.distance }
        guard let near, near.distance <= 3 else { return nil }
        return near.name
    }

    static func editDistance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (i, a) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let replaced = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}
