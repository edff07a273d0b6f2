internal import COpenSSL

/// What the journal was linked with, for those who look after a machine.
public enum LinkedLibraries {
    public static var description: String { String(cString: belfry_openssl_version()) }
}
