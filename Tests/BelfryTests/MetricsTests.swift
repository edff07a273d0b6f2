import Delivery
import Foundation
import Testing

/// `GET /metrics`, and what Prometheus' own tools and client make of it.
@Suite("Metrics (V7)")
struct MetricsTests {
    let shell = Shell()

    private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL

    private func page() throws -> (text: String, open: String) {
        let worker = shell.start(["run", "--jobs", "spool:\(shell.path("spool"))"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let told =
            fact("user_enrolled", data: #"{"timezone":"\#(Noon.zone)"}"#)
            + fact("notice_requested", data: #"{"kind":"urgent"}"#) + fact("notice_requested", data: #"{"kind":"no"}"#)
            + fact("points_earned", data: "{}") + fact("made_up")
        // One is refused by the worker, two are before they come to it.
        #expect(door.append(told)?.status == 400)
        #expect(door.get("v1/people/anna/state")?.status == 200)
        #expect(door.get("nothing/here")?.status == 404)
        let text = try #require(door.get("metrics"))
        let open = try #require(door.get("metrics", accepting: "application/openmetrics-text; version=1.0.0"))
        #expect(text.status == 200 && text.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(open.headers["Content-Type"]?.hasPrefix("application/openmetrics-text") == true)
        worker.expectStopped()
        return (text.text, open.text)
    }

    @Test func `what was done is counted, under names that grow with nobody`() throws {
        let (text, open) = try page()
        let lines = text.split(separator: "\n").map(String.init)
        for line in [
            #"belfry_facts_total{type="user_enrolled",result="recorded"} 1"#,
            #"belfry_facts_total{type="notice_requested",result="refused"} 1"#,
            #"belfry_facts_total{type="points_earned",result="refused"} 1"#,
            #"belfry_facts_total{type="unknown",result="refused"} 1"#,
            #"belfry_decisions_total{kind="urgent",outcome="emitted",reason=""} 1"#, "belfry_people 1",
            "belfry_ready 1", "belfry_due_people 0", "belfry_streams 0", "belfry_clock_steps_total 0",
            #"belfry_snapshots_total{result="taken"} 0"#, #"belfry_snapshots_total{result="failed"} 0"#,
            #"belfry_http_requests_total{route="/v1/people/{user}/state",method="GET",status="200"} 1"#,
            #"belfry_http_requests_total{route="other",method="GET",status="404"} 1"#,
        ] { #expect(lines.contains(line), "\(line)") }
        for name in [
            "belfry_build_info", "belfry_fire_lag_seconds_bucket", "belfry_oldest_due_seconds", "belfry_waiting",
            "belfry_sink_queue", "belfry_sink_duration_seconds", "belfry_log_bytes", "belfry_fsync_seconds_count",
            "belfry_http_request_duration_seconds_sum", "process_cpu_seconds_total", "process_resident_memory_bytes",
            "process_open_fds", "process_start_time_seconds",
        ] { #expect(text.contains("\n\(name)") || text.contains("# TYPE \(name) "), "\(name)") }
        let start = lines.first { $0.hasPrefix("process_start_time_seconds ") }?.split(separator: " ").last
        let started = try #require(Double(start ?? ""))
        #expect((-3600...1).contains(started - Date().timeIntervalSince1970), "\(started)")
        #expect(!text.contains("anna"))
        #expect(open.hasSuffix("# EOF\n") && open.contains("# TYPE belfry_facts counter"))
    }

    @Test func `what the server refuses before anybody looks at it is counted and told as well`() throws {
        try shell.write(WorkerPort.token + "\n", to: "token")
        #expect(chmod(shell.path("token"), 0o600) == 0)
        let worker = shell.start(["run", "--listen", "0", "--token-file", "token", "--log-level", "debug"])
        try worker.expectReady()
        let head = "POST /v1/facts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(WorkerPort.token)\r\n"
        for bytes in [head + "Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx", "nonsense\r\n\r\n"] {
            let answer = try RawClient(port: worker.port()).send(bytes).received(until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        }
        let lines = try #require(WorkerDoor(shell).get("metrics")).text.split(separator: "\n").map(String.init)
        for line in [
            #"belfry_http_requests_total{route="/v1/facts",method="POST",status="415"} 1"#,
            #"belfry_http_requests_total{route="other",method="other",status="400"} 1"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(worker.complaint(of: "\"status\":\"415\"") != nil)
        worker.expectStopped()
    }

    @Test(.enabled(if: promtool != nil, "Debian's prometheus has promtool"))
    func `promtool finds nothing to complain of`()
        throws
    {
        try shell.write(try page().text, to: "metrics")
        let outcome = shell.bash("\(Self.promtool ?? "") check metrics < metrics")
        #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test(.enabled(if: promtool != nil, "Debian's prometheus has promtool"))
    func `every alert fires when it is to, and not before`() {
        let folder = Self.root.appending(path: "ops/metrics").path
        for words in ["check rules alerts.yml", "test rules alerts_test.yml"] {
            let outcome = shell.bash("cd \(folder) && \(Self.promtool ?? "") \(words)")
            #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test func `the dashboard and the alerts ask only for metrics that there are`() throws {
        let (text, _) = try page()
        let known = Set(
            text.matches(of: #/# TYPE (\S+) (\S+)/#).flatMap { match in
                match.2 == "histogram" ? ["", "_bucket", "_sum", "_count"].map { match.1 + $0 } : [String(match.1)]
            })
        for file in ["dashboard.json", "alerts.yml"] {
            let asked = try String(
                contentsOf: Self.root.appending(path: "ops/metrics/\(file)"), encoding: .utf8)
            for match in asked.matches(of: #/\b(belfry|process)_[a-z_]+\b/#) {
                let name = String(match.0)
                #expect(known.contains(name) || Self.groups.contains(name), "\(file): \(name)")
            }
        }
    }

    /// Names of groups of rules and the like, which begin as metrics do.
    private static let groups: Set = ["belfry_datasource"]

    private static let client = FileManager.default.fileExists(
        atPath: root.appending(path: ".build/oracles/prometheus_client").path)

    @Test(.enabled(if: client, "ops/bootstrap --test installs prometheus-client"))
    func `prometheus' own client reads both forms, strictly`() throws {
        let (text, open) = try page()
        try shell.write(text, to: "text")
        try shell.write(open, to: "open")
        let script = """
            import sys
            sys.path.insert(0, sys.argv[1])
            from prometheus_client.parser import text_string_to_metric_families as old
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict
            one = {family.name for family in old(open('text').read())}
            two = {family.name for family in strict(open('open').read())}
            print('same' if one == two else sorted(one ^ two), len(two))
            """
        try shell.write(script, to: "read.py")
        let outcome = shell.bash("python3 read.py \(Self.root.appending(path: ".build/oracles").path)")
        #expect(outcome.code == 0 && outcome.output.hasPrefix("same "), "\(outcome)")
    }
}
