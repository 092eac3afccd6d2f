// Scripts of the shells. They ask this program for the words, so that they know every command of its version.
import type { Invocation } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { write } from '../terminal/io.ts';
import { SHELLS } from './shells.ts';

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `# Completion of quarterdeck for bash.
_quarterdeck() {
  local IFS=$'\\n'
  COMPREPLY=($(quarterdeck __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _quarterdeck quarterdeck
`,
  zsh: `#compdef quarterdeck
# Completion of quarterdeck for zsh.
_quarterdeck() {
  local -a found
  found=("\${(@f)$(quarterdeck __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then _describe -t commands quarterdeck found; else _files; fi
}
if [ "$funcstack[1]" = _quarterdeck ]; then _quarterdeck "$@"; else compdef _quarterdeck quarterdeck; fi
`,
  fish: `# Completion of quarterdeck for fish.
complete -c quarterdeck -a '(quarterdeck __complete fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** Prints the script of a shell. */
export async function runCompletion({ args, program: { io } }: Invocation): Promise<undefined> {
  const shell = SHELLS.find((one) => one === args[0]);
  if (shell === undefined) throw usage(`The shell must be one of ${SHELLS.join(', ')}.`);
  await write(io.stdout, SCRIPTS[shell]);
}
