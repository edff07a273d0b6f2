internal import CZlib

/// What the API was linked with, for those who look after a machine.
public enum ServerLibrary {
    public static var description: String { "zlib \(String(cString: zlibVersion()))" }
}
