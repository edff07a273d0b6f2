internal import CMicrohttpd
internal import CZlib

/// What the API was linked with, for those who look after a machine.
public enum ServerLibrary {
    public static var description: String {
        "libmicrohttpd \(String(cString: MHD_get_version())), zlib \(String(cString: zlibVersion()))"
    }
}
