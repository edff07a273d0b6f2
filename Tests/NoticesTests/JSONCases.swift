/// Texts of RFC 8259 and near it, each with whether it is accepted. By the pattern of the usual conformance suites.
enum JSONCases {
    static let accepted: [String] = structures + numbers + strings

    private static let structures = [
        "{}", "[]", "[[]]", "[[],[[]]]", "{\"a\":{}}", "{\"\":0}", "{\"a\":[]}", "{\"a\":1,\"b\":2}",
        " [1] ", "\t\n\r [ ] \r\n\t", "[ 1 , 2 ]", "{ \"a\" : 1 }", "{\n\"a\"\n:\n1\n}",
        "[null,true,false,1,\"a\",{},[]]", "null", "true", "false", "1", "\"\"", "\"a\"", " null ",
        "{\"a\":null}", "[[1,2],[3,4]]", "[{\"a\":1},{\"a\":2}]", "{\"a\":{\"a\":{\"a\":1}}}", "[\"a\",\"a\"]",
        "{\"a\":1,\"A\":2}", "{\"a b\":1}", "{\"a\\\"b\":1}", "[{}]",
    ]

    private static let numbers = [
        "0", "-0", "1", "-1", "123456789", "[0,-0]", "1.5", "-1.5", "0.0", "0.1", "-0.1", "1e1", "1E1", "1e+1",
        "1e-1", "1.5e10", "0e0", "0e+00", "1e00", "1e400", "-1e400", "1e-400", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890", "1.000000000000000000001",
        "3.0", "20e1", "0.00000000000000000000000000000000000000000000000000000000000001",
    ]

    private static let strings = [
        #""\"""#, #""\\""#, #""\/""#, #""\b\f\n\r\t""#, #""\u0041""#, #""\u00e9""#, #""\u20AC""#, #""\u2028""#,
        #""\ud83d\udd14""#, #""\uD83D\uDD14""#, #""\udbff\udfff""#, #""\uFFFF""#, #""\u0001""#, #""\u007f""#,
        #""\u0022""#, #""\u005C""#, "\"/\"", "\"\u{7F}\"", "\"é\"", "\"€\"", "\"\u{1F514}\"", "\"\u{2028}\u{2029}\"",
        "\"\u{FEFF}\"", "\"\u{10FFFF}\"", "\"\u{FFFD}\"", "\" \"", "\"// no comment\"", "\"/* none */\"", #""\\u0000""#,
        #""a\\""#, "\"null\"", #"{"\u0061":1}"#,
    ]

    static let refused: [(text: String, problem: String)] =
        broken.map { ($0, "") } + lookalikes.map { ($0, "") } + badNumbers.map { ($0, "") } + badStrings

    private static let broken = [
        "", " ", "\n", "{", "}", "[", "]", "[1", "[1,", "[,1]", "[1,]", "[1,,2]", "[,]", "[1 2]", "[1\n2]", "1]",
        "[1]]",
        "[1}", "{1}", "{]", "{\"a\"", "{\"a\"}", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{,\"a\":1}", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1:2}", "{a:1}", "{'a':1}", "{1:1}",
        "{null:1}", "{\"a\":1}{\"b\":2}", "[] []", "1 2", "{\"a\":1}x", "[1]#", "{}}", "[[]", "[{]}", "{[]:1}",
        "{{}:1}",
        ",", ":", "{:}", "[:]", "[\"a\":1]", "{\"a\",\"b\"}", "\"a\" \"b\"", "{\"a\":1;\"b\":2}", "[1;2]", "()", "<x/>",
    ]

    private static let lookalikes = [
        "nul", "nulls", "Null", "NULL", "tru", "True", "TRUE", "fals", "False", "truefalse", "undefined", "NaN",
        "-NaN", "Infinity", "-Infinity", "inf", "nan", "[nul]", "{\"a\":tru}", "// c\n1", "/* c */1", "1//c", "#1",
        "\u{FEFF}1", "\u{A0}1", "\u{2028}1", "\u{B}1", "\u{C}1", "'a'", "`a`", "“a”", "a", "é", "\\u0031", "@", "*",
        "_",
        "true,", "not json",
    ]

    private static let badNumbers = [
        "+1", "01", "00", "-01", "-", "--1", "-+1", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1e-", "1e1.5", "1ee1",
        "1.2.3", "0x10", "1_000", "1,000", "0b1", "1a", "-a", "1e1e1", "0.", "0.e1", "[1.]", "[01]", "[-]", "１",
        "1\u{660}", "- 1", "1 .5", "1e 5",
    ]

    private static let badStrings: [(String, String)] = [
        ("\"", "closing double quote"), ("\"a", "closing double quote"), ("'", ""), ("\"\\\"", "closing double quote"),
        ("\"\\", "cut off"), (#""\x41""#, "does not exist"), (#""\a""#, "does not exist"), (#""\'""#, "does not exist"),
        (#""\0""#, "does not exist"), (#""\U0041""#, "does not exist"), (#""\u""#, "four hex"), (#""\u1""#, "four hex"),
        (#""\u12""#, "four hex"), (#""\u123""#, "four hex"), (#""\u12g4""#, "four hex"), (#""\u+123""#, "four hex"),
        (#""\u 123""#, "four hex"), ("\"\\u12", "four hex"), ("\"a\nb\"", "control"), ("\"a\tb\"", "control"),
        ("\"\u{1}\"", "control"), ("\"\u{1F}\"", "control"), (#""\u0000""#, "NUL"), (#"{"\u0000":1}"#, "NUL"),
        ("\"\0\"", "NUL"), ("\0", "NUL"), ("1\0", "follows"), ("[1,\0]", "NUL"), (#""\ud800""#, "surrogate"),
        (#""\udc00""#, "surrogate"), (#""\ud800\ud800""#, "surrogate"), (#""\ud800x""#, "surrogate"),
        (#""\ud800\n""#, "surrogate"), (#""\ud800\u0041""#, "surrogate"), (#""\udc00\ud800""#, "surrogate"),
        ("\"\\ud800\\udc0", "surrogate"), ("\"\\ud800\\", "surrogate"), (#"{"a":1,"a":1}"#, "twice"),
        (#"{"a":1,"\u0061":2}"#, "twice"), (#"[{"a":1,"b":2,"a":3}]"#, "twice"), (#"{"a":{"b":1,"b":1}}"#, "twice"),
        (#"{"":1,"":2}"#, "twice"),
    ]

    /// Bytes that are not UTF-8, to stand inside a string.
    static let notUTF8: [(name: String, bytes: [UInt8])] = [
        ("a lone continuation byte", [0x80]), ("another", [0xBF]), ("two", [0x80, 0xBF]),
        ("0xFE", [0xFE]), ("0xFF", [0xFF]), ("a two-byte lead alone", [0xC3]), ("a lead before ASCII", [0xC3, 0x28]),
        ("a three-byte lead with one byte", [0xE2, 0x82]), ("with an ASCII third", [0xE2, 0x82, 0x28]),
        ("with an ASCII second", [0xE2, 0x28, 0xA1]), ("a four-byte lead with two", [0xF0, 0x9F, 0x94]),
        ("with an ASCII fourth", [0xF0, 0x9F, 0x94, 0x28]), ("overlong / in two bytes", [0xC0, 0xAF]),
        ("overlong 0x7F", [0xC1, 0xBF]), ("overlong NUL", [0xC0, 0x80]), ("overlong in three", [0xE0, 0x9F, 0xBF]),
        ("overlong NUL in three", [0xE0, 0x80, 0x80]), ("overlong in four", [0xF0, 0x8F, 0xBF, 0xBF]),
        ("a high surrogate", [0xED, 0xA0, 0x80]), ("a low surrogate", [0xED, 0xBF, 0xBF]),
        ("a surrogate pair", [0xED, 0xA0, 0xBD, 0xED, 0xB4, 0x94]), ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        ("0xF5", [0xF5, 0x80, 0x80, 0x80]), ("a five-byte form", [0xF8, 0x88, 0x80, 0x80, 0x80]),
        ("a six-byte form", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]), ("Latin-1 é", [0xE9]),
    ]
}
