internal import CZlib

/// The library that the API is linked with, for `doctor`.
public enum ServerLibrary {
    public static var description: String { "zlib \(String(cString: zlibVersion()))" }
}
