/// Completion scripts for the shells, made from the commands' own descriptions.
enum CompletionScripts {
    static func bash(_ commands: [CommandSpec]) -> String {
        let cases = commands.map { spec -> String in
            let values = spec.options.compactMap { option -> String? in
                guard option.value != nil else { return nil }
                return "            \(option.name)) \(bashAction(option.completion)); return ;;"
            }
            let chosen =
                values.isEmpty ? "" : "        case $previous in\n\(values.joined(separator: "\n"))\n        esac\n"
            let words = (spec.options.map(\.name) + ["--help"]).joined(separator: " ")
            let first = spec.positional.map { bashAction($0.completion) } ?? "COMPREPLY=()"
            let plain = [spec.second, spec.third].compactMap { $0 }.enumerated().reduce(first) { before, later in
                "if ((COMP_CWORD > \(later.offset + 2))); then \(bashAction(later.element.completion)); else \(before); fi"
            }
            return """
                    \(spec.name))
                \(chosen)        if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "\(words)" -- "$word")); else \(plain); fi ;;
                """
        }
        let names = (commands.map(\.name) + ["--help", "--version"]).joined(separator: " ")
        return """
            # bash completion for belfry: source this file, or put it in /etc/bash_completion.d
            _belfry() {
                local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                # Bash cuts --option=value into three words.
                if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W "\(names)" -- "$word"))
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases.joined(separator: "\n"))
                esac
            }
            complete -F _belfry belfry
            """
    }

    private static func bashAction(_ completion: CommandSpec.Completion) -> String {
        switch completion {
        case .none: "COMPREPLY=()"
        case .file: bashNames("-f")
        case .directory: bashNames("-d")
        case .words(let words): "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
        case .wordsOrFile(let words): bashNames("-f -W \"\(words.joined(separator: " "))\"")
        case .after(let choices):
            "case ${COMP_WORDS[2]} in "
                + choices.map { "\($0.first)) \(bashAction($0.then)) ;; " }.joined() + "*) COMPREPLY=() ;; esac"
        }
    }

    /// A name a line, since names may hold spaces; `compopt` makes bash quote them, and complains when nobody completes.
    private static func bashNames(_ kind: String) -> String {
        "mapfile -t COMPREPLY < <(compgen \(kind) -- \"$word\"); compopt -o filenames 2>/dev/null || true"
    }

    static func zsh(_ commands: [CommandSpec]) -> String {
        let list = commands.map { "        '\($0.name):\(zshQuoted($0.summary))'" }
        let cases = commands.map { spec -> String in
            var lines = (spec.options + [CommandSpec.help]).map { option -> String in
                let value = option.value.map { ":\($0):\(zshAction(option.completion))" } ?? ""
                return "            '\(option.name)[\(zshQuoted(option.help))]\(value)'"
            }
            for (place, positional) in [spec.positional, spec.second, spec.third].compactMap({ $0 }).enumerated() {
                let name = zshQuoted(positional.name)
                lines.append("            '\(place + 1):\(name):\(zshAction(positional.completion))'")
            }
            return "        \(spec.name)) _arguments \\\n\(lines.joined(separator: " \\\n")) ;;"
        }
        return """
            #compdef belfry
            # zsh completion for belfry: put this file in your fpath as _belfry
            _belfry() {
                local -a commands=(
            \(list.joined(separator: "\n"))
                )
                if ((CURRENT == 2)); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                ((CURRENT--))
                case $command in
            \(cases.joined(separator: "\n"))
                esac
            }
            _belfry "$@"
            """
    }

    private static func zshAction(_ completion: CommandSpec.Completion) -> String {
        switch completion {
        case .none: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .wordsOrFile, .after: "{\(zshCode(completion))}"
        }
    }

    /// The same as zsh runs it: what stands in braces.
    private static func zshCode(_ completion: CommandSpec.Completion) -> String {
        switch completion {
        case .none: "true"
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words): "compadd \(words.joined(separator: " "))"
        case .wordsOrFile(let words): "compadd \(words.joined(separator: " ")); _files"
        case .after(let choices):
            "case $words[2] in " + choices.map { "(\($0.first)) \(zshCode($0.then)) ;; " }.joined() + "esac"
        }
    }

    private static func zshQuoted(_ text: String) -> String {
        text.map { character in
            switch character {
            case "'": "'\\''"
            case "[", "]", ":": "\\\(character)"
            default: String(character)
            }
        }.joined()
    }

    static func fish(_ commands: [CommandSpec]) -> String {
        var lines = [
            "# fish completion for belfry: put this file in ~/.config/fish/completions/belfry.fish",
            "complete -c belfry -f",
        ]
        for spec in commands {
            lines.append("complete -c belfry -n __fish_use_subcommand -a \(spec.name) -d \(fishQuoted(spec.summary))")
            let here = "-n '__fish_seen_subcommand_from \(spec.name)'"
            for option in spec.options + [CommandSpec.help] {
                let action = option.value == nil ? "" : " -x" + fishAction(option.completion)
                lines.append(
                    "complete -c belfry \(here) -l \(option.name.dropFirst(2))\(action) -d \(fishQuoted(option.help))")
            }
            for positional in [spec.positional, spec.second, spec.third].compactMap({ $0 }) {
                lines += fishLines(positional.completion, "__fish_seen_subcommand_from \(spec.name)")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func fishLines(_ completion: CommandSpec.Completion, _ condition: String) -> [String] {
        let here = "complete -c belfry -n '\(condition)'"
        switch completion {
        case .none: return []
        case .file: return ["\(here) -F"]
        case .directory: return ["\(here) -a '(__fish_complete_directories)'"]
        case .words(let words): return ["\(here) -a '\(words.joined(separator: " "))'"]
        case .wordsOrFile(let words): return ["\(here) -F -a '\(words.joined(separator: " "))'"]
        case .after(let choices):
            return choices.flatMap { fishLines($0.then, "\(condition); and __fish_seen_subcommand_from \($0.first)") }
        }
    }

    private static func fishAction(_ completion: CommandSpec.Completion) -> String {
        switch completion {
        case .none: ""
        case .file: " -a '(__fish_complete_path)'"
        case .directory: " -a '(__fish_complete_directories)'"
        case .words(let words): " -a '\(words.joined(separator: " "))'"
        case .wordsOrFile(let words): " -a '\(words.joined(separator: " ")) (__fish_complete_path)'"
        // Of positionals alone.
        case .after: ""
        }
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
