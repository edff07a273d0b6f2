internal import CCurl

/// libcurl itself.
public enum CurlLibrary {
    /// What it was linked with, for those who look after a machine.
    public static var description: String { String(cString: curl_version()) }

    /// Makes it ready, once, before the first handle: not every version does so safely by itself.
    static func start() { precondition(started == CURLE_OK, "libcurl cannot start") }

    private static let started = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
