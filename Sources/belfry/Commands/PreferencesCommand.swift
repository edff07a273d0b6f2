import CivilTime
import Console
import Foundation
import Journal
import Notices
import Worker

/// `belfry preferences preview`: where a patch would lead, before it is told (SPEC §3).
enum PreferencesCommand: Command {
    private static let patch = CommandSpec.Option(
        name: "--patch", value: "FILE|-", help: "a JSON merge patch on the preferences; - for standard input")

    static let spec = CommandSpec(
        name: "preferences", summary: "Shows what a change of preferences would do for one person.",
        positional: CommandSpec.Positional(name: "preview", isRequired: true, completion: .words(["preview"])),
        options: [PersonCommands.user, patch, CommandSpec.data, CommandSpec.json],
        notes: """
            Nothing is changed; a preferences_changed fact changes them. It shows every change in a sentence, every warning,
            and which of the notices that wait would be dropped, held or released. --json adds the whole document that
            would result.
            """,
        needs: [PersonCommands.user, patch]
    )

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard arguments.positional == "preview" else {
            throw .usage("preferences has one verb, preview, and not \"\(arguments.positional ?? "")\"", spec)
        }
        let user = try PersonCommands.user(arguments, spec)
        guard let file = arguments[patch] else { throw .usage("preferences preview needs --patch", spec) }
        let (patch, text) = try Self.patch(in: file)
        let asked = JSONValue.object([.init("patch", JSONValue(parsing: text) ?? .null)])
        if try ClusterPreview.print(asked, about: user, arguments, world) { return }
        try PersonCommands.answer(nil, about: user, arguments, world) { (answers) throws(Unanswered) in
            try answers.preview(.patch(patch)).answer
        }
    }

    private static func patch(in file: String) throws(Failure) -> (PreferencesPatch, text: String) {
        let input = try InputFile(file)
        defer { input.close() }
        let text = text(of: input)
        do throws(Refusal) { return (try PreferencesPatch(reading: text), text) } catch {
            throw Failure(.badInput, "\(file == "-" ? "the patch" : file): \(error)")
        }
    }

    /// What no fact could carry is not read to its end.
    private static func text(of input: InputFile) -> String {
        let handle = FileHandle(fileDescriptor: input.descriptor)
        let bytes = (try? handle.read(upToCount: AppendCommand.lineBytes)) ?? Data()
        // Bytes that are no text stay what they are not: JSON.
        return String(validating: bytes, as: UTF8.self) ?? "\u{FFFD}"
    }
}
