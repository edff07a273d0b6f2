extension FooterRule {
    /// Reads `std offset [dst [offset] , start[/time] , end[/time]]`.
    ///
    /// `nil` for anything else, for a daylight time without its rule (POSIX would guess) and for
    /// offsets no zone has.
    init?(_ text: [UInt8]) {
        var scanner = TextScanner(text.makeIterator())
        guard scanner.takeZoneName(), let standard = scanner.signedTime(hours: 0...25),
            FooterRule.offsets.contains(-standard)
        else { return nil }
        standardOffset = Int32(-standard)
        if scanner.isAtEnd { return }

        guard scanner.takeZoneName() else { return nil }
        var offset = 3600 - standard
        if scanner.next != UInt8(ascii: ",") {
            guard let written = scanner.signedTime(hours: 0...25) else { return nil }
            offset = -written
        }
        guard FooterRule.offsets.contains(offset),
            scanner.take(UInt8(ascii: ",")), let start = YearMoment(&scanner),
            scanner.take(UInt8(ascii: ",")), let end = YearMoment(&scanner), scanner.isAtEnd
        else { return nil }
        daylight = Daylight(offset: Int32(offset), start: start, end: end)
    }
}

extension YearMoment {
    fileprivate init?(_ scanner: inout TextScanner<some IteratorProtocol<UInt8>>) {
        if scanner.take(UInt8(ascii: "J")) {
            guard let number = scanner.number(digitsUpTo: 3), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else if scanner.take(UInt8(ascii: "M")) {
            guard let month = scanner.number(digitsUpTo: 2), (1...12).contains(month),
                scanner.take(UInt8(ascii: ".")),
                let week = scanner.number(digitsUpTo: 1), (1...5).contains(week),
                scanner.take(UInt8(ascii: ".")),
                let weekday = scanner.number(digitsUpTo: 1), (0...6).contains(weekday)
            else { return nil }
            day = .weekday(month: month, week: week, weekday: weekday)
        } else {
            guard let number = scanner.number(digitsUpTo: 3), (0...365).contains(number) else { return nil }
            day = .zeroBased(number)
        }
        time = 7200
        if scanner.take(UInt8(ascii: "/")) {
            guard let seconds = scanner.signedTime(hours: 0...167) else { return nil }
            time = Int64(seconds)
        }
    }
}

extension TextScanner {
    /// Steps over a zone's name: three letters or more, or letters, digits and signs in angle brackets.
    fileprivate mutating func takeZoneName() -> Bool {
        let isQuoted = take(UInt8(ascii: "<"))
        var length = 0
        while let byte = next, byte.isLetter || isQuoted && byte.isDigitOrSign {
            _ = take(byte)
            length += 1
        }
        return length >= 3 && (!isQuoted || take(UInt8(ascii: ">")))
    }

    /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
    fileprivate mutating func signedTime(hours allowed: ClosedRange<Int>) -> Int? {
        let isNegative = take(UInt8(ascii: "-"))
        if !isNegative { _ = take(UInt8(ascii: "+")) }
        guard let hours = number(digitsUpTo: 3), allowed.contains(hours) else { return nil }
        var seconds = hours * 3600
        if take(UInt8(ascii: ":")) {
            guard let minutes = number(digits: 2), minutes < 60 else { return nil }
            seconds += minutes * 60
            if take(UInt8(ascii: ":")) {
                guard let rest = number(digits: 2), rest < 60 else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z")
    }

    fileprivate var isDigitOrSign: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
            || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
    }
}
