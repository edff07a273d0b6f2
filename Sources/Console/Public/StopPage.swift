internal import Notices

/// The page behind the link of every mail. It loads nothing and runs nothing.
enum StopPage {
    static func question(_ offer: PublicService.StopOffer) -> HTTPResponse {
        page(
            200, "Stop these emails?",
            """
            <p>You will get no more \(words(offer)).</p>
            <form method="post"><button name="stop" value="yes">Stop them</button></form>
            \(offer.kind == nil ? "" : orAll)
            """)
    }

    /// Of a mail of one kind (`N6`).
    private static let orAll = """
        <p>Or stop all \(words(PublicService.StopOffer(kind: nil))).</p>
        <form method="post"><button name="stop" value="all">Stop all emails</button></form>
        """

    /// What a browser sends for that button.
    static let all = "stop=all"

    static func done(_ offer: PublicService.StopOffer) -> HTTPResponse {
        page(
            200, "Stopped",
            "<p>You will get no more \(words(offer)). You can switch them on again in the app's settings.</p>")
    }

    static let unknown = page(
        404, "This link does not work",
        "<p>It is not complete, or it was changed on its way. Please copy the whole link from the mail.</p>")

    static let tooOld = page(
        410, "This link is too old",
        """
        <p>Nobody can tell any more whose emails it was to stop. Please use the link in a newer mail, or the app's
        settings.</p>
        """)

    private static func words(_ offer: PublicService.StopOffer) -> String {
        guard let kind = offer.kind else { return "emails from this app, but for those it must send" }
        return "emails of this kind (\(HTMLText.escaped(kind)))"
    }

    private static func page(_ status: Int, _ title: String, _ content: String) -> HTTPResponse {
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta name="robots" content="noindex"><title>\(title)</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 12vh auto; max-width: 30rem; padding: 0 1rem }
            h1 { font-size: 1.4rem }
            button { font: inherit; padding: .6rem 1.2rem }
            </style></head>
            <body><main><h1>\(title)</h1>
            \(content)
            </main></body></html>

            """
        return HTTPResponse(
            status: status,
            headers: HTTPHeaders([
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
                ),
                ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
            ]),
            body: Array(html.utf8))
    }
}
