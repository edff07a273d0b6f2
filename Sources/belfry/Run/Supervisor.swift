import Foundation

/// Tells the service manager how the worker is (sd_notify), where there is one that wants to know.
struct Supervisor: Sendable {
    private let path: String?
    /// How often it wants a sign of life, in microseconds.
    let watchdogMicroseconds: UInt64?

    init(_ environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        watchdogMicroseconds = isMeant ? environment["WATCHDOG_USEC"].flatMap { UInt64($0) } : nil
    }

    /// That it is on its way, and is to have ten minutes more: a start that is ended in the middle would begin from nothing again.
    func tellStarting() { tell("EXTEND_TIMEOUT_USEC=600000000", mayWait: false) }

    /// That the worker begins to read its policy again; `READY=1` is to follow. With the moment, without which systemd takes
    /// no such message for one of its own reloads (`Type=notify-reload`).
    func tellReloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        tell("RELOADING=1\nMONOTONIC_USEC=\(microseconds)", mayWait: true)
    }

    /// Such as `READY=1`. A manager that does not listen is none.
    ///
    /// - Parameter mayWait: whether a manager that is slow to read may hold the caller up; otherwise it misses something.
    func tell(_ state: String, mayWait: Bool) {
        guard let path else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // An abstract socket is written with "@" for the zero byte.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < capacity else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        #if os(Linux)
            let type = Int32(SOCK_DGRAM.rawValue)
        #else
            let type = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let prefix = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        let length = socklen_t(prefix + name.count + (name.first == 0 ? 0 : 1))
        let message = Array(state.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let flags = mayWait ? 0 : Int32(MSG_DONTWAIT)
                _ = sendto(descriptor, message, message.count, flags, address, length)
            }
        }
    }
}
