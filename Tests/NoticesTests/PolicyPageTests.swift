import Foundation
import Notices
import Testing

@Suite("The page about policies")
struct PolicyPageTests {
    @Test func `describes every field there is`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Notices/Policy/POLICY.md").standardized
        let page = try String(contentsOf: path, encoding: .utf8)
        let strays = [
            smallPolicy(#","?":1"#), smallPolicy(kind: #","?":1"#), smallPolicy(#","overload":{"?":1}"#),
            smallPolicy(#","frequencies":{"?":1}"#), smallPolicy(#","snoozes":{"?":1}"#),
            smallPolicy(#","ranges":{"?":1}"#),
            smallPolicy(#","presets":[{"name":"a","patch":{},"?":1}]"#),
            smallPolicy(kind: #","subtypes":[{"name":"a","?":1}]"#),
            smallPolicy(kind: #","copy":{"?":1}"#), smallPolicy(kind: #","sample":{"?":1}"#),
            smallPolicy(#","retention":{"people_after_days":30,"?":1}"#),
        ]
        let schedules = [
            #""on":"check_in""#, #""on":"daily","at":"18:00""#, #""on":"weekly","day":"sun","at":"19:00""#,
            #""on":"goal","at":"08:00""#, #""on":"deadline","offsets":[{"minutes":60,"subtype":"a"}]"#,
            #""on":"missed_check_in","at":"10:00""#,
        ].map { smallPolicy(kind: #","schedule":{\#($0),"?":1}"#) }
        let offset = smallPolicy(
            kind: #","schedule":{"on":"deadline","offsets":[{"minutes":60,"subtype":"a","?":1}]}"#)
        let raised = [
            #""on":"goal_started""#, #""on":"goal_ended""#, #""on":"goal_overdue""#, #""on":"streak","days":[3]"#,
            #""on":"points","totals":[100]"#,
        ].map { smallPolicy(kind: #","raised_by":[{\#($0),"?":1}]"#) }
        let choices = [
            #""type":"bool","default":true"#, #""type":"one_of","values":["a","b"],"default":"a""#,
            #""type":"number","range":[1,9],"default":2"#, #""type":"time","default":"10:00""#,
            #""type":"text","length_max":20,"default":"a""#,
        ].map { smallPolicy(#","choices":[{"name":"c",\#($0),"?":1}]"#) }
        let word = smallPolicy(
            #","choices":[{"name":"c","type":"one_of","values":[{"name":"a","?":1},"b"],"default":"a"}]"#)
        for document in strays + schedules + [offset] + raised + choices + [word] {
            let refusal = try #require(policyRefusal(document))
            let known = try #require(refusal.firstMatch(of: #/known here: (.*)\)/#)?.1)
            for field in known.split(separator: ", ") {
                #expect(page.contains("`\(field)`") || page.contains("\"\(field)\""), "\(field)")
            }
        }
        for name in Copy.counting + Copy.wording { #expect(page.contains("`\(name)`")) }
        for name in ShippedPolicies.names.prefix(1) { #expect(page.contains("`\(name)`")) }
    }
}
