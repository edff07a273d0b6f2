/// Policy documents to be judged by.
enum Policies {
    /// As `standard` is (SPEC §15).
    static let standard = """
        {"name":"standard","kinds":[
            {"name":"urgent","priority":"critical","on_request":true},
            {"name":"alert","priority":"high","on_request":true,"over_cap":"gather"},
            {"name":"reminder","on_request":true,"digestible":true,"bundling":true,"over_cap":"gather"},
            {"name":"check_in","schedule":{"on":"check_in"},"over_cap":"drop"},
            {"name":"daily_digest","schedule":{"on":"daily","at":"18:00"},"digest":"daily"},
            {"name":"weekly_review","schedule":{"on":"weekly","day":"sun","at":"19:00"},"digest":"weekly"}]}
        """

    /// Without a cap or a cooldown, but with the rule against too many in an hour; several channels and goals.
    static let busy = """
        {"name":"busy","daily_cap":null,"cooldown_minutes":0,"overload":{"jobs":10,"minutes":60},
         "preferences":{"channels":{"push":true,"email":true,"sms":false}},
         "presets":[{"name":"minimal","patch":{"kinds":{"note":{"enabled":false}}}}],
         "kinds":[
            {"name":"note","on_request":true,"channels":["push","email","sms"],
             "subtypes":[{"name":"comment"},{"name":"like","enabled":false}]},
            {"name":"payment","on_request":true,"locked":true,"channels":["push"],"required_channels":["push","email"],
             "subtypes":[{"name":"failed","locked":true},{"name":"soon","locked":false}]},
            {"name":"goal_reminder","schedule":{"on":"goal","at":"08:00"}},
            {"name":"deadline","schedule":{"on":"deadline"}},
            {"name":"summary","schedule":{"on":"overload"}},
            {"name":"review","schedule":{"on":"weekly","day":"mon","at":"10:30"},"digest":"weekly"}]}
        """

    /// As `messageai` and `coachme` are: about messages, about permission.
    static let chatty = """
        {"name":"chatty","daily_cap":null,"cooldown_minutes":0,"quiet_pass":"high","check_ins_after_yes":true,
         "kinds":[
            {"name":"message","priority":"medium","schedule":{"on":"message"},"in_quiet_hours":"drop"},
            {"name":"check_in","schedule":{"on":"check_in"}},
            {"name":"permission_prompt","channels":["in_app"],"schedule":{"on":"session"}}]}
        """

    static func consenting(_ consent: String) -> String {
        #"{"name":"consenting","consent":"\#(consent)","kinds":[{"name":"note","on_request":true}]}"#
    }
}
