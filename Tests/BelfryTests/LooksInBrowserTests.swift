import Testing

extension InBrowser {
    /// What holds for every page: looks, widths, the keyboard, hostile texts, what it weighs.
    @Suite("Every page in Chromium")
    struct LooksInBrowserTests {
        let bench = PageBench()
        private var shell: Shell { bench.shell }

        @Test(arguments: ["1440 light", "1440 dark", "360 light", "360 dark"])
        func `axe finds nothing on any page, and nothing sticks out`(look: String) throws {
            try shell.importTown(policy: "standard")
            let (_, port) = try bench.worker()
            Browser("looks", shell, port: port, arguments: look.split(separator: " ").map(String.init)).expectDone()
        }

        @Test func `no page is cut or goes sideways, from a small phone to a wide screen`() throws {
            try shell.importTown(policy: "standard")
            let (_, port) = try bench.worker()
            Browser("widths", shell, port: port).expectDone()
        }

        @Test(arguments: ["360", "1280"])
        func `by Tab one comes to everything on every page, and sees where one is`(width: String) throws {
            try shell.importTown(policy: "standard")
            let (_, port) = try bench.worker()
            Browser("stops", shell, port: port, arguments: [width]).expectDone()
        }

        @Test func `hostile texts are shown as text, run nothing and break no layout`() throws {
            try shell.importTown(policy: "standard")
            let (_, port) = try bench.worker()
            Browser("hostile", shell, port: port).expectDone()
        }

        @Test func `the first view of a person is at most 96 KiB over the wire`() throws {
            try shell.importTown(policy: "standard")
            let (_, port) = try bench.worker()
            let browser = Browser("first-view", shell, port: port)
            print(browser.line() ?? "")
            browser.expectDone()
        }
    }
}
