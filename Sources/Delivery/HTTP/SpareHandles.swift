internal import CCurl

/// libcurl's handles whose calls have ended, for the calls that come: one that is made anew brings 16 KiB of buffers with it.
///
/// Nothing of a call stays with its handle but these. Belongs to the thread that performs the calls.
final class SpareHandles {
    private var idle: [UnsafeMutableRawPointer] = []
    private let most: Int

    init(atMost most: Int) { self.most = most }

    deinit { for easy in idle { curl_easy_cleanup(easy) } }

    /// As good as new.
    func take() -> UnsafeMutableRawPointer { idle.popLast() ?? Self.make() }

    /// Takes back one that no pool performs any more.
    func give(back easy: UnsafeMutableRawPointer) {
        guard idle.count < most else { return curl_easy_cleanup(easy) }
        curl_easy_reset(easy)
        idle.append(easy)
    }

    static func make() -> UnsafeMutableRawPointer {
        CurlLibrary.start()
        guard let easy = curl_easy_init() else { preconditionFailure("libcurl gave no handle") }
        return easy
    }
}
