/// Which lane each post has.
///
/// Push services that clients named have a lane each as long as there are some for them; the rest share one. A lane that
/// nobody needs any more is given to the next that has none.
struct PostLanes {
    enum Place: Sendable, Equatable {
        /// The post's own, or the shared one.
        case own(Int)
        /// Another's that nobody needs: to be cleared, and then noted.
        case vacated(Int)
        /// None yet: to be made, and then noted.
        case missing
    }

    private var numbers: [Post: Int] = [:]
    /// Whose each lane is that a client's push service has.
    private var named: [Int: Post] = [:]
    /// Those of them that nothing was waiting for when that was last looked at, and that nothing was to go to since.
    private var vacant: Set<Int> = []

    /// So many lanes there are for push services that clients name.
    static let namedMax = 64

    /// Whose lane has which number.
    var all: [Post: Int] { numbers }

    /// The lanes that others may be given, once nobody needs them; none while there are others to be had.
    var scarce: [Int] { named.count < Self.namedMax ? [] : Array(named.keys) }

    /// Where a post's jobs wait, and whose lane that is. A lane that is asked for is not given to another until it was found
    /// vacant again.
    mutating func place(of post: Post) -> (post: Post, place: Place) {
        if let number = numbers[post] {
            vacant.remove(number)
            return (post, .own(number))
        }
        guard case .webPush(.named) = post, named.count >= Self.namedMax else { return (post, .missing) }
        if let number = vacant.min() {
            vacant.remove(number)
            return (post, .vacated(number))
        }
        let shared = Post.webPush(.others)
        return (shared, numbers[shared].map { Place.own($0) } ?? .missing)
    }

    /// A post has a lane from now on, and whoever had it has none.
    mutating func note(_ post: Post, at number: Int) {
        if let before = named.removeValue(forKey: number) { numbers[before] = nil }
        numbers[post] = number
        if case .webPush(.named) = post { named[number] = post }
    }

    /// - Parameter idle: lanes among the scarce that nobody needs now.
    mutating func vacate(_ idle: Set<Int>) { vacant = idle }
}
