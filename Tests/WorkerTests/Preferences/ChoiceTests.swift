import Testing

@Suite("§3, choices that are the app's own")
struct ChoiceTests {
    private static let policy = """
        {"name":"own","cooldown_minutes":0,"daily_cap":99,"kinds":[{"name":"note","on_request":true,
         "copy":{"title":"A note","body":"Level {choices.level}, {choices.sound} at {choices.at}"}}],
         "choices":[{"name":"level","label":"Level","type":"one_of","values":["low","high"],"default":"low"},
          {"name":"sound","type":"bool","default":true},{"name":"size","type":"number","range":[1,5],"default":3},
          {"name":"at","type":"time","default":"07:00"},{"name":"motto","type":"text","length_max":5,"default":""}]}
        """

    @Test func `their values stand in texts and in the job's data`() {
        given(.enrolled(), policy: Self.policy)
            .when(.requested("note"), at: "2026-03-02T09:00Z").then("emitted note/#2 [push]")
            .says("A note", "Level low, true at 07:00")
            .carries([
                "choices.level": "low", "choices.sound": "true", "choices.size": "3", "choices.at": "07:00",
                "choices.motto": "",
            ])
            .when(
                .wants(#"{"choices":{"level":"high","sound":false,"size":5,"motto":"go"}}"#), .requested("note"),
                at: "2026-03-02T10:00Z"
            )
            .then("emitted note/#5 [push]").says("A note", "Level high, false at 07:00")
            .carries([
                "choices.level": "high", "choices.sound": "false", "choices.size": "5", "choices.at": "07:00",
                "choices.motto": "go",
            ])
            .when(.reset, .requested("note"), at: "2026-03-02T11:00Z")
            .then("emitted note/#8 [push]").says("A note", "Level low, true at 07:00")
    }

    @Test(arguments: [
        (#"{"level":"middle"}"#, #"data.patch.choices.level: "middle" is not one of low, high"#),
        (#"{"sound":"yes"}"#, #"data.patch.choices.sound: "yes" is not true or false"#),
        (#"{"size":6}"#, "data.patch.choices.size: 6 is not a whole number from 1 to 5"),
        (#"{"size":0}"#, "data.patch.choices.size: 0 is not a whole number from 1 to 5"),
        (#"{"motto":"longer"}"#, #"data.patch.choices.motto: "longer" is not a text of at most 5 bytes"#),
        (
            #"{"lvel":"low"}"#,
            "data.patch.choices.lvel: is not a choice of own; did you mean level? (known here: level, sound, size, at, motto)"
        ),
    ])
    func `others are refused by their path`(patch: String, refusal: String) {
        given(.enrolled(), policy: Self.policy).refuses(
            .wants("{\"choices\":\(patch)}"), at: "2026-03-02T09:00Z", refusal)
    }
}
