import Notices

/// Shows what applying a preset would change (SPEC §3): every value as path, from, to, and in one sentence.
struct PresetPreview {
    let preset: Preset
    let changes: [Change]

    func write(to output: Output, isJSON: Bool) {
        if isJSON {
            for change in changes { output.line { Self.write(change, into: &$0) } }
            return
        }
        guard !changes.isEmpty else { return output.line("\(preset.name) would change nothing") }
        output.line("\(preset.name)\(preset.about.text.isEmpty ? "" : " (\(preset.about))") would change:")
        let width = changes.map(\.sentence.count).max() ?? 0
        for change in changes {
            let gap = String(repeating: " ", count: width - change.sentence.count + 2)
            output.line("  \(change.sentence)\(gap)\(change.path): \(change.from.text) → \(change.to.text)")
        }
    }

    private static func write(_ change: Change, into line: inout ByteBuffer) {
        line.append("{\"path\":")
        line.appendJSONString(change.path)
        line.append(",\"from\":")
        change.from.write(into: &line)
        line.append(",\"to\":")
        change.to.write(into: &line)
        line.append(",\"sentence\":")
        line.appendJSONString(change.sentence)
        line.append("}")
    }
}
