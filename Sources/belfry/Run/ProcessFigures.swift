import Foundation
import Reports

/// What the system says of this process, under the names that every exporter has for it.
enum ProcessFigures {
    static func write(to page: inout MetricsPage) {
        guard let told else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        page.family("process_cpu_seconds", .counter, "Processor time that was spent")
        page.sample((told.userTicks + told.systemTicks) / ticks)
        page.family("process_start_time_seconds", .gauge, "When the process started, since 1970")
        page.sample(bootSeconds + told.startTicks / ticks)
        page.family("process_virtual_memory_bytes", .gauge, "Address space")
        page.sample(Int(told.virtualBytes))
        page.family("process_resident_memory_bytes", .gauge, "Memory that is in use")
        page.sample(Int(told.residentPages) * Int(sysconf(Int32(_SC_PAGESIZE))))
        if let open = openFiles {
            page.family("process_open_fds", .gauge, "Open files and connections")
            page.sample(open)
        }
        if let limit = fileLimit {
            page.family("process_max_fds", .gauge, "How many there may be")
            page.sample(limit)
        }
    }

    private struct Told {
        var userTicks: Double
        var systemTicks: Double
        var startTicks: Double
        var virtualBytes: Double
        var residentPages: Double
    }

    /// The fields behind the name, which may hold anything and ends with the last parenthesis.
    private static var told: Told? {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return nil }
        return Told(
            userTicks: fields[11], systemTicks: fields[12], startTicks: fields[19], virtualBytes: fields[20],
            residentPages: fields[21])
    }

    /// Asked once, so that a clock that is set does not move it. `/proc/stat` says it too, but not to whoever sees processes alone.
    private static let bootSeconds: Double = {
        #if os(Linux)
            return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME)
        #else
            return 0
        #endif
    }()

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// Newer kernels say it as a size; ten thousand names need not be listed then.
    private static var openFiles: Int? {
        var status = stat()
        guard stat("/proc/self/fd", &status) == 0 else { return nil }
        if status.st_size > 0 { return Int(status.st_size) }
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    private static var fileLimit: Int? {
        var limit = rlimit()
        #if os(Linux)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let files = RLIMIT_NOFILE
        #endif
        guard getrlimit(files, &limit) == 0, limit.rlim_cur != rlim_t.max else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
