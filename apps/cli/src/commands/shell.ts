// Commands about the shell.
import type { Command, Entries } from '../command/command.ts';
import { SHELLS } from '../shell/shells.ts';

export const completion: Command = {
  about: 'Print the completion of a shell',
  args: '<shell>',
  argsAbout: SHELLS.join(', '),
  flags: [],
  examples: [
    'source <(quarterdeck completion bash)',
    'quarterdeck completion zsh > ~/.zfunc/_quarterdeck',
    'quarterdeck completion fish > ~/.config/fish/completions/quarterdeck.fish',
  ],
  run: async (invocation) => (await import('../shell/completion.ts')).runCompletion(invocation),
};

/** Creates the command that describes all commands. */
export const manOf = (entries: () => Entries): Command => ({
  about: 'Print the manual page, for man -l -',
  flags: [],
  examples: ['quarterdeck man | man -l -'],
  async run({ program }) {
    const { manText } = await import('../shell/man.ts');
    const { write } = await import('../terminal/io.ts');
    await write(program.io.stdout, manText(entries()));
    return undefined;
  },
});
