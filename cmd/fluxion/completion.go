package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

func completionCommand() *command {
	return &command{
		name:    "completion",
		args:    "bash|zsh|fish",
		summary: "print a completion script for a shell",
		help: `Prints a script that makes the shell complete commands, flags and files.

Examples:
  source <(fluxion completion bash)
  fluxion completion zsh > "${fpath[1]}/_fluxion"
  fluxion completion fish > ~/.config/fish/completions/fluxion.fish`,
		words: []string{"bash", "zsh", "fish"},
		run: func(_ context.Context, c *call) int {
			scripts := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion,
				"fish": fishCompletion}
			if len(c.args) == 1 && scripts[c.args[0]] != nil {
				script := scripts[c.args[0]]()
				if c.json {
					c.printJSON(map[string]string{"shell": c.args[0], "script": script})
				} else {
					fmt.Fprint(c.out, script)
				}
				return exitOK
			}
			return c.usage(fmt.Errorf("name one shell: bash, zsh or fish"))
		},
	}
}

// flagsOf lists a command's flags.
func flagsOf(cmd *command) []*flag.Flag {
	var found []*flag.Flag
	(&call{command: cmd}).flagSet().VisitAll(func(f *flag.Flag) { found = append(found, f) })
	return found
}

func bashCompletion() string {
	var names, cases strings.Builder
	for _, cmd := range commands() {
		names.WriteString(cmd.name + " ")
		words := append([]string(nil), cmd.words...)
		for _, f := range flagsOf(cmd) {
			words = append(words, dashed(f.Name))
		}
		fmt.Fprintf(&cases, "    %s) words=%q ;;\n", cmd.name, strings.Join(words, " "))
	}
	return fmt.Sprintf(`# bash completion for fluxion
_fluxion() {
  local current=${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$current"))
    return
  fi
  case ${COMP_WORDS[1]} in
%s  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -X '!*.flx' -- "$current") $(compgen -d -- "$current"))
}
complete -o filenames -F _fluxion fluxion
`, strings.TrimSpace(names.String()), cases.String())
}

func zshCompletion() string {
	var names, cases strings.Builder
	for _, cmd := range commands() {
		fmt.Fprintf(&names, "    %s\n", zshQuote(cmd.name+":"+cmd.summary))
		fmt.Fprintf(&cases, "    %s) _arguments", cmd.name)
		for _, f := range flagsOf(cmd) {
			argument, usage := flag.UnquoteUsage(f)
			spec := fmt.Sprintf("%s[%s]", dashed(f.Name), strings.NewReplacer("[", "(", "]", ")",
				":", ",").Replace(usage))
			if argument != "" {
				spec += ":" + argument + ":"
			}
			fmt.Fprintf(&cases, " %s", zshQuote(spec))
		}
		rest := "*:file:_files -g \"*.flx\""
		if len(cmd.words) > 0 {
			rest = "*:word:(" + strings.Join(cmd.words, " ") + ")"
		}
		fmt.Fprintf(&cases, " %s ;;\n", zshQuote(rest))
	}
	return fmt.Sprintf(`#compdef fluxion
_fluxion() {
  local -a commands=(
%s  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  case $command in
%s  esac
}
_fluxion "$@"
`, names.String(), cases.String())
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for fluxion\n")
	for _, cmd := range commands() {
		fmt.Fprintf(&b, "complete -c fluxion -n __fish_use_subcommand -f -a %s -d %q\n", cmd.name,
			cmd.summary)
		when := fmt.Sprintf("-n '__fish_seen_subcommand_from %s'", cmd.name)
		if len(cmd.words) > 0 {
			fmt.Fprintf(&b, "complete -c fluxion %s -f -a %q\n", when, strings.Join(cmd.words, " "))
		}
		for _, f := range flagsOf(cmd) {
			argument, usage := flag.UnquoteUsage(f)
			kind := "-l " + f.Name
			if len(f.Name) == 1 {
				kind = "-s " + f.Name
			}
			if argument != "" {
				kind += " -r"
			}
			fmt.Fprintf(&b, "complete -c fluxion %s %s -d %q\n", when, kind, usage)
		}
	}
	return b.String()
}
