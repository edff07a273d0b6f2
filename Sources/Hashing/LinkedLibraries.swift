internal import COpenSSL

/// The version of libcrypto that the program is linked with, for `doctor`.
public enum LinkedLibraries {
    public static var description: String { String(cString: belfry_openssl_version()) }
}
