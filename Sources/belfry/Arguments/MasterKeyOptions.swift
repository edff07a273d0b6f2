import Delivery
import Sealing

/// What opens people's keys, as the command line names it.
struct MasterKeyOptions {
    let source: MasterKeySource
    /// As they were given.
    let words: [String]

    /// `nil` for a command that opens no keys.
    init?(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) {
        guard spec.option(named: CommandSpec.masterKeyFile.name) != nil else { return nil }
        let file = arguments[CommandSpec.masterKeyFile]
        let command = arguments[CommandSpec.masterKeyCommand]
        switch (file, command) {
        case (nil, nil): (source, words) = (.own, [])
        case (let path?, nil):
            source = .file(path) {
                let file = try SecretFile(path, bytesMax: Self.bytesMax)
                if let warning = file.warning { complain("note: \(warning)") }
                return file.bytes
            }
            words = ["\(CommandSpec.masterKeyFile.name)=\(path)"]
        case (nil, let line?):
            source = .command(line)
            words = ["\(CommandSpec.masterKeyCommand.name)=\(line)"]
        case (.some, .some):
            throw .usage("--master-key-file and --master-key-command are both given; one of them opens the keys", spec)
        }
    }

    private static let bytesMax = 64 << 10
}
