internal import CivilTime

/// How the person is reached: channels with their addresses, which are shown masked, and how messages are looked at.
extension Settings {
    // MARK: Channels

    var channels: JSONValue? {
        let list = channelsOffered.list
        guard !list.isEmpty else { return nil }
        let reachable = person.reachable(plan)
        let fields = list.map { channel in
            field(
                ["channels", channel.name], channel.label, .bool,
                help: reachable.contains(ChannelSet(channel)) ? nil : whyNot(channel))
        }
        return .of([
            ("name", .string("channels")), ("label", .string("Channels")),
            ("fields", .of(fields)), ("phone", phone),
            ("email", person.details.email.map { .string(Masked.email($0)) } ?? .null),
            ("devices", .array(person.devices.map(device))),
        ])
    }

    /// Those by which the policy sends anything, or that it has switched on; and those that the person chose all the same, to
    /// be given up.
    var channelsOffered: ChannelSet {
        let used = rules.ownRules.reduce(ChannelSet()) { $0.union($1.channels).union($1.requiredChannels) }
        let usually = rules.defaults(saidYes: person.flags.contains(.saidYes)).channels
        let chosen = rules.ownRules.indices.reduce(person.preferences.channels) {
            $0.union(person.preferences.kinds[$1].channels)
        }
        return used.union(usually).union(chosen).intersection(.ringing)
    }

    private func whyNot(_ channel: Channel) -> String {
        switch channel {
        case .push:
            person.flags.contains(.permissionDenied)
                ? "Push notifications are disabled in the device's settings." : "No device is registered."
        case .email:
            person.flags.contains(.emailBounced)
                ? "Mails to your address came back; please correct it in your app." : "No email address is known."
        case .sms:
            person.flags.contains(.phoneDead)
                ? "Texts to your number could not be delivered; please verify it again, or give another."
                : "Needs a phone number that is verified."
        case .inApp: "Shown when the app is open."
        }
    }

    private var phone: JSONValue {
        let phone = person.details.phone
        func later(_ instant: Instant) -> JSONValue { now < instant ? .string("\(instant)") : .null }
        let number = phone.number.map(Masked.phone)
        // A number that waits for its code.
        let asked = phone.asked.map(Masked.phone)
        let left: JSONValue = asked == nil ? .null : .of(max(0, Person.codeAttempts - phone.attempts))
        return .of([
            ("number", .orNull(number)), ("verified", .bool(person.hasWorkingPhone)),
            ("asked", .orNull(asked)), ("attempts_left", left), ("locked_until", later(phone.lockedUntil)),
            ("resend_at", asked == nil ? .null : later(phone.resendAt)),
            ("code_expires_at", asked == nil ? .null : later(phone.codeEndsAt)),
        ])
    }

    /// One that a provider called dead, or the person removed, is not listed any more.
    private func device(_ device: RegisteredDevice) -> JSONValue {
        .of([
            ("device", .string(device.id)),
            ("platform", platforms[device.id].map { .string($0.name) } ?? .null),
            ("registered_at", .string("\(device.registeredAt)")), ("alive", .bool(true)),
        ])
    }

    // MARK: Messages

    var smart: JSONValue? {
        guard hasKind({ $0.schedule == .message }) else { return nil }
        let on = policy.isSmart ? ["enabled"] : nil
        let keywords = field(
            ["priority_keywords"], "Priority keywords", .list(countMax: 100, bytesMax: 200),
            help: "A message that has one of these words in it counts as important.")
        guard policy.isSmart else {
            return section("smart", "Messages", [keywords])
        }
        let fields = [
            field(
                ["pause_threshold_seconds"], "Pause before a conversation is looked at, in seconds",
                .number(policy.ranges.pauseThresholdSeconds), dependsOn: on),
            field(
                ["active_conversation_threshold"], "Messages after which a busy conversation is looked at",
                .number(policy.ranges.activeConversationThreshold), dependsOn: on),
            keywords,
            field(
                ["max_analyses_per_hour"], "How many times an hour conversations are looked at, at most",
                .number(policy.ranges.maxAnalysesPerHour), dependsOn: on),
            field(
                ["fallback_strategy"], "If the analysis is unavailable",
                .oneOf([
                    .init("simple_rules", "Use simple rules (mentions, keywords)"),
                    .init("notify_all", "Notify for all messages"), .init("suppress_all", "No notifications"),
                ]), dependsOn: on),
        ]
        return .of([
            ("name", .string("smart")), ("label", .string("Smart notifications")),
            ("fields", .of(fields)), ("analyser", analyser),
        ])
    }

    private var analyser: JSONValue {
        let standing = AnalyserStanding(of: person, analyserHere)
        return .of([("status", .string(standing.word)), ("reason", .orNull(standing.reason))])
    }
}
