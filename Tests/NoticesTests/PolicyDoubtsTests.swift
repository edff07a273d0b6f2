import Notices
import Testing

/// What a policy may say, and says in vain.
@Suite("Doubts about a policy")
struct PolicyDoubtsTests {
    private func doubts(_ text: String) throws -> [String] {
        let policy = try Policy(document: text) { _ in nil }
        return policy.doubts.map { "\($0)" }
    }

    private func kind(_ fields: String, policy: String = "") -> String {
        #"{"name":"p"\#(policy),"kinds":[{"name":"k",\#(fields)}]}"#
    }

    @Test(arguments: ShippedPolicies.names)
    func `the policies that come with Belfry say nothing in vain`(name: String) throws {
        #expect(try doubts(#require(ShippedPolicies.text(of: name))) == [])
    }

    @Test(arguments: [
        (#""on":"daily","at":"23:00""#, true), (#""on":"daily","at":"22:00""#, true),
        (#""on":"daily","at":"07:59""#, true), (#""on":"daily","at":"08:00""#, false),
        (#""on":"daily","at":"21:59""#, false), (#""on":"weekly","day":"sun","at":"03:00""#, true),
        (#""on":"goal","at":"06:30""#, true), (#""on":"goal","at":"09:00""#, false), (#""on":"check_in""#, false),
    ])
    func `a kind that comes in the night and is dropped there`(schedule: String, isDoubted: Bool) throws {
        let night = kind(#""schedule":{\#(schedule)},"in_quiet_hours":"drop""#)
        #expect(try doubts(night).map { $0.prefix(24) } == (isDoubted ? ["kinds[0].in_quiet_hours:"] : []))
        // What is held comes in the morning.
        #expect(try doubts(kind(#""schedule":{\#(schedule)}"#)) == [])
    }

    @Test(arguments: [
        #""priority":"critical""#, #""locked":true,"required_channels":["push"]"#,
    ])
    func `what passes quiet hours may come at night`(passing: String) throws {
        let night = #""schedule":{"on":"daily","at":"23:00"},"in_quiet_hours":"drop","#
        #expect(try doubts(kind(night + passing)) == [])
    }

    @Test(arguments: [
        #","quiet_pass":"high","preferences":{}"#, #","preferences":{"quiet_hours":{"exceptions":["k"]}}"#,
        #","preferences":{"quiet_hours":{"enabled":false}}"#, #","preferences":{"quiet_hours":{"start":"01:00"}}"#,
        #","preferences":{"quiet_hours":{"days":["mon"]}}"#,
    ])
    func `nights that are not everybody's`(policy: String) throws {
        let night = #""priority":"high","schedule":{"on":"daily","at":"23:00"},"in_quiet_hours":"drop""#
        #expect(try doubts(kind(night, policy: policy)) == [])
        #expect(try doubts(kind(night)) != [])
    }

    @Test func `channels and switches that are off for everybody`() throws {
        #expect(
            try doubts(kind(#""on_request":true,"channels":["sms"]"#)) == [
                "kinds[0].channels: sms: off for whoever has not switched it on (preferences.channels), "
                    + "so nobody has the kind at first"
            ])
        #expect(try doubts(kind(#""on_request":true,"channels":["sms","push"]"#)) == [])
        #expect(try doubts(kind(#""on_request":true,"channels":["sms"],"enabled":false"#)) == [])
        #expect(
            try doubts(kind(#""on_request":true"#, policy: #","preferences":{"enabled":false}"#)) == [
                "preferences.enabled: is false: nobody is told anything before they switch it on, but by locked kinds"
            ])
    }

    @Test func `schedules that never come`() throws {
        #expect(
            try doubts(kind(#""schedule":{"on":"overload"}"#)) == [
                "kinds[0].schedule.on: overload comes only where daily_cap is null (P12)"
            ])
        #expect(
            try doubts(smallPolicy(#","overload":{"jobs":5,"minutes":60}"#)) == [
                "overload: is asked only where daily_cap is null (P12)"
            ])
        let missed = #"{"name":"missed","schedule":{"on":"missed_check_in","at":"10:00"}}"#
        #expect(
            try doubts(smallPolicy(others: "," + missed)) == [
                #"kinds[1].schedule.on: missed_check_in comes after a goal's reminder, and no kind has the schedule {"on":"goal"}"#
            ])
        let goal = #"{"name":"goal","schedule":{"on":"goal","at":"10:00"}}"#
        #expect(try doubts(smallPolicy(others: ",\(missed),\(goal)")) == [])
    }

    @Test func `what is asked only of what can be stopped`() throws {
        let digest = #",{"name":"digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily"}"#
        #expect(
            try doubts(
                smallPolicy(
                    kind: #"""
                        ,"locked":true,"required_channels":["email"],"enabled":false,"digestible":true,
                        "subtypes":[{"name":"a","enabled":false},{"name":"b","enabled":false,"locked":false}]
                        """#, others: digest)) == [
                    "kinds[0].enabled: false says nothing: a locked kind is on for everybody (P14)",
                    "kinds[0].subtypes[0].enabled: false says nothing: the part is locked with its kind (P14)",
                    "kinds[0].digestible: says nothing: a locked kind waits for no digest (P14)",
                ])
        #expect(
            try doubts(
                smallPolicy(kind: #","priority":"critical","digests":["none","daily"]"#, others: digest)) == [
                    "kinds[0].digests: says nothing: a critical kind waits for no digest (P14)"
                ])
    }

    @Test func `a fact that has raised the kind already`() throws {
        let twice = [
            (#"{"on":"goal_ended"}"#, #"{"on":"goal_ended","outcome":"failed"}"#, true),
            (#"{"on":"goal_ended","outcome":"failed"}"#, #"{"on":"goal_ended"}"#, false),
            (#"{"on":"goal_started"}"#, #"{"on":"goal_started"}"#, true),
            (#"{"on":"streak","days":[3,7]}"#, #"{"on":"streak","days":[7]}"#, true),
            (#"{"on":"streak","days":[3]}"#, #"{"on":"streak","days":[3,7]}"#, false),
            (#"{"on":"streak","days":[3]}"#, #"{"on":"points","totals":[3]}"#, false),
        ]
        for (first, second, isDoubted) in twice {
            let found = try doubts(kind(#""raised_by":[\#(first),\#(second)]"#))
            #expect(
                found
                    == (isDoubted
                        ? [
                            "kinds[0].raised_by[1]: raises nothing: raised_by[0] does at the same facts, "
                                + "and a fact raises one notice of a kind"
                        ] : []))
        }
    }

    @Test func `words that a kind never has`() throws {
        let cases: [(kind: String, found: [String])] = [
            (
                #""on_request":true,"copy":{"title":"{points} for {name}","body":"{items|nothing}"}"#,
                ["copy.title: {points} is always 0 there", "copy.body: {items} is always empty there"]
            ),
            (#""on_request":true,"bundling":true,"copy":{"bundle_body":"{items}"}"#, []),
            (
                #""schedule":{"on":"check_in"},"copy":{"bodies":["a","{title}, {left}"]}"#,
                ["copy.bodies[1]: {title} is always empty there", "copy.bodies[1]: {left} is always empty there"]
            ),
            (#""schedule":{"on":"goal","at":"09:00"},"copy":{"body":"{title}, {left}"}"#, []),
            (
                #""schedule":{"on":"daily","at":"18:00"},"digest":"daily","copy":{"body":"{points}{earlier}","earlier":"{since}"}"#,
                ["copy.body: {earlier} is always 0 there"]
            ),
            (
                #""raised_by":[{"on":"goal_started","title":"{title}","body":"{text}"}]"#,
                ["raised_by[0].body: {text} is always empty there"]
            ),
            (
                #""on_request":true,"label":"  ","subtypes":[{"name":"a","label":"\u200b"}]"#,
                [
                    "label: is blank; people would see nothing",
                    "subtypes[0].label: is blank; people would see nothing",
                ]
            ),
        ]
        for (fields, found) in cases { #expect(try doubts(kind(fields)) == found.map { "kinds[0].\($0)" }) }
    }
}
