#if os(Linux)
    internal import CReady
#endif

/// Descriptors that are waited for together, many thousands of them: it costs what is ready, not what is there.
///
/// Belongs to one thread.
final class ReadySet {
    struct What: OptionSet {
        let rawValue: UInt32

        static let reading = What(rawValue: 1)
        static let writing = What(rawValue: 2)
        /// The other side sends no more, or the connection has failed. Told of whether it is asked for or not.
        static let parted = What(rawValue: 4)
    }

    #if os(Linux)
        private let set: Int32
        private var found = [belfry_ready](repeating: belfry_ready(), count: 256)

        /// `nil` where no descriptor is to be had.
        init?() {
            set = belfry_ready_open()
            if set < 0 { return nil }
        }

        deinit { SocketCall.close(set) }

        func add(_ descriptor: Int32, number: UInt64, _ what: What) -> Bool {
            belfry_ready_add(set, descriptor, number, what.rawValue) == 0
        }

        func change(_ descriptor: Int32, number: UInt64, _ what: What) {
            _ = belfry_ready_change(set, descriptor, number, what.rawValue)
        }

        /// To be called before the descriptor is closed. The kernel forgets a closed one by itself.
        func remove(_ descriptor: Int32) {}

        /// Tells what has happened, until something has or so many milliseconds have passed; without them as long as it takes.
        func wait(milliseconds: Int32?, _ tell: (UInt64, What) -> Void) {
            let count = belfry_ready_wait(set, &found, milliseconds ?? -1)
            for place in 0..<Int(count) { tell(found[place].number, What(rawValue: found[place].what)) }
        }
    #else
        private var waited: [Int32: (number: UInt64, what: What)] = [:]
        private var polled = PollSet()

        init?() {}

        func add(_ descriptor: Int32, number: UInt64, _ what: What) -> Bool {
            waited[descriptor] = (number, what)
            return true
        }

        func change(_ descriptor: Int32, number: UInt64, _ what: What) { waited[descriptor] = (number, what) }

        func remove(_ descriptor: Int32) { waited[descriptor] = nil }

        /// Elsewhere all are looked at each time: it works, and costs what is there.
        func wait(milliseconds: Int32?, _ tell: (UInt64, What) -> Void) {
            polled.removeAll()
            let all = waited.map { descriptor, entry in
                var interest: PollSet.Interest = .parting
                if entry.what.contains(.reading) { interest.insert(.reading) }
                if entry.what.contains(.writing) { interest.insert(.writing) }
                return (place: polled.add(descriptor, interest), number: entry.number)
            }
            polled.wait(milliseconds: milliseconds)
            for (place, number) in all {
                let happened = polled.happened(at: place)
                var what: What = []
                if happened.contains(.reading) { what.insert(.reading) }
                if happened.contains(.writing) { what.insert(.writing) }
                if !happened.isDisjoint(with: .broken) { what.insert(.parted) }
                if !what.isEmpty { tell(number, what) }
            }
        }
    #endif
}
