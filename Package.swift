// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "belfry",
    dependencies: [],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .systemLibrary(name: "CClock"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CReady"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CProcessor", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CDisk", cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CPages", cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "Pages", dependencies: ["CPages"], exclude: ["DECISIONS.md", "assets", "console.html", "me.html"],
            swiftSettings: strict),
        .target(name: "Hashing", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "Queueing", swiftSettings: strict),
        .target(name: "Measuring", swiftSettings: strict),
        .target(name: "CivilTime", exclude: ["DECISIONS.md"], swiftSettings: strict),
        .target(
            name: "Notices", dependencies: ["CivilTime", "CProcessor"],
            exclude: ["Policy/POLICY.md", "DECISIONS.md"],
            resources: ["standard", "coachme", "screentime", "messageai", "microcommit"].map {
                .embedInCode("Policy/Shipped/\($0).json")
            },
            swiftSettings: strict),
        .target(
            name: "Journal", dependencies: ["CivilTime", "Notices", "CProcessor", "Hashing"],
            exclude: ["FORMAT.md", "DECISIONS.md"],
            swiftSettings: strict),
        .target(
            name: "Sealing", dependencies: ["Journal", "Notices", "Hashing", "CProcessor"],
            exclude: ["FORMAT.md", "DECISIONS.md", "DESIGN.md"],
            swiftSettings: strict),
        .target(
            name: "Worker",
            dependencies: ["CivilTime", "Notices", "Hashing", "Journal", "CClock", "Queueing", "Measuring"],
            exclude: ["DECISIONS.md"],
            swiftSettings: strict),
        .target(
            name: "Shared", dependencies: ["CPostgres", "Hashing"],
            exclude: ["DECISIONS.md", "DESIGN.md", "FORMAT.md"],
            swiftSettings: strict),
        .target(name: "Reports", dependencies: ["CivilTime", "Notices", "Worker", "Measuring"], swiftSettings: strict),
        .target(
            name: "Audit", dependencies: ["CivilTime", "Notices"], exclude: ["DECISIONS.md"], swiftSettings: strict),
        .target(
            name: "Delivery",
            dependencies: ["CivilTime", "Notices", "Hashing", "CCurl", "CHTTP2", "CDisk", "Queueing", "Measuring"],
            exclude: ["DECISIONS.md"],
            swiftSettings: strict),
        .target(
            name: "Console", dependencies: ["CivilTime", "Notices", "Hashing", "CZlib", "CReady", "Pages", "Queueing"],
            exclude: ["API.md", "DECISIONS.md"],
            swiftSettings: strict),
        .executableTarget(
            name: "belfry",
            dependencies: [
                "CivilTime", "Notices", "Hashing", "Journal", "Sealing", "Worker", "Audit", "Delivery", "Console",
                "Queueing", "Measuring", "Reports", "Shared",
            ],
            exclude: ["DECISIONS.md", "Partitions/FORMAT.md"],
            swiftSettings: strict),
        // A client to be copied, which is built so that it goes on working.
        .executableTarget(
            name: "belfry-client", path: "ops/examples", exclude: ["belfry_client.py"], swiftSettings: strict),
        .target(
            name: "Simulation", dependencies: ["CivilTime", "Notices", "Hashing", "Journal", "Worker"],
            path: "Tests/Simulation",
            swiftSettings: strict),
        .target(
            name: "SimulatedShared", dependencies: ["Hashing", "Shared"], path: "Tests/SimulatedShared",
            swiftSettings: strict),
        .testTarget(name: "QueueingTests", dependencies: ["Queueing", "Simulation"], swiftSettings: strict),
        .testTarget(
            name: "CivilTimeTests", dependencies: ["CivilTime"], exclude: ["zoneinfo_oracle.py"], swiftSettings: strict),
        .testTarget(
            name: "NoticesTests", dependencies: ["Notices", "CivilTime", "Journal", "Simulation"],
            exclude: ["protobuf_oracle.py"], swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: ["Journal", "Hashing", "Notices", "CivilTime", "Simulation"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SealingTests",
            dependencies: ["Sealing", "Journal", "Notices", "CivilTime", "Hashing", "Simulation"],
            exclude: ["Oracles"], swiftSettings: strict),
        .testTarget(
            name: "SharedTests", dependencies: ["Shared", "CPostgres", "Hashing", "SimulatedShared", "Simulation"],
            exclude: ["Server/proxy.py", "Server/serve.sh"], swiftSettings: strict),
        .testTarget(
            name: "WorkerTests",
            dependencies: [
                "Worker", "Journal", "Sealing", "Notices", "CivilTime", "Audit", "Delivery", "Measuring", "Simulation",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DeliveryTests", dependencies: ["Delivery", "Hashing", "Notices", "CivilTime", "Simulation"],
            exclude: ["Oracles", "signature_oracle.py", "webhook_server.py"], swiftSettings: strict),
        .testTarget(
            name: "ConsoleTests",
            dependencies: ["Console", "Delivery", "Notices", "CivilTime", "CZlib", "Simulation"], swiftSettings: strict),
        .testTarget(
            name: "PagesTests", dependencies: ["Pages", "Simulation"], exclude: ["Browser"], swiftSettings: strict),
        .testTarget(
            name: "ReportsTests", dependencies: ["Reports", "Worker", "Journal", "Notices", "CivilTime", "Simulation"],
            swiftSettings: strict),
        .testTarget(name: "AuditTests", dependencies: ["Audit", "Notices", "CivilTime"], swiftSettings: strict),
        .executableTarget(
            name: "storm", dependencies: ["CivilTime", "Notices", "Journal", "Worker"], path: "Tests/Storm",
            swiftSettings: strict),
        .testTarget(
            name: "BelfryTests",
            dependencies: [
                "belfry", "storm", "belfry-client", "CivilTime", "Notices", "Journal", "Sealing", "Delivery", "Console",
                "Hashing", "Shared", "SimulatedShared", "Simulation", "Worker", "Reports", "CLaunch",
            ],
            exclude: ["Chaos/chaos_receiver.py", "Nemesis", "described_answers.py"], swiftSettings: strict),
        .systemLibrary(name: "CLaunch", path: "Tests/CLaunch"),
    ]
)

// What the benchmarks compare with is needed by nothing else: `ops/benchmarks/run` asks for these targets.
if Context.environment["BELFRY_BENCHMARKS"] != nil {
    package.targets += [
        .systemLibrary(
            name: "CSQLite", path: "ops/benchmarks/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CivilTime", "Notices", "Journal", "Sealing", "Worker", "CProcessor", "CSQLite", "Simulation",
            ],
            path: "ops/benchmarks/Sources", swiftSettings: strict),
    ]
}
