import Testing

/// All that drives Chromium: one browser after the other, because each is several busy processes.
@Suite("The pages in Chromium", .withBrowser, .serialized)
enum InBrowser {}
