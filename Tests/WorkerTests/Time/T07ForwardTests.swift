import Testing

@Suite("T7, recorded time does not go back")
struct ForwardTests {
    @Test func `a history's fact before the one before it is refused`() {
        given(.enrolled(), .noCheckIns)
            .when(.requested("reminder"), at: "2026-03-02T09:00Z").then("emitted reminder/#3 [push]")
            .refuses(
                .requested("alert"), saying: "2026-03-02T08:59:59.999Z",
                "at: 2026-03-02T08:59:59.999Z is before 2026-03-02T09:00:00.000Z, which has passed already"
            )
            .when(.requested("alert"), at: "2026-03-02T09:00Z").then("emitted alert/#5 [push]")
    }

    @Test func `what became due while time jumped is handled late (C5)`() {
        given(.enrolled(), .wants(#"{"frequency":"daily"}"#))
            .asleep(until: "2026-03-02T12:00Z").then("emitted check_in/2026-03-02T09:00 [push]")
    }
}
