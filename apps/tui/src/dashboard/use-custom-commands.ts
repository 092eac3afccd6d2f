// Binds the custom commands of the present screen.
import { use } from 'react';
import { fillWords, wordsText } from '../commands/words.ts';
import type { Dashboard } from '../context/dashboard.ts';
import { ShellContext } from '../context/shell.ts';
import type { Handler } from '../keys/keyboard.ts';
import { type CustomCommand, customCommandId } from '../settings/custom-commands.ts';

type CustomCommandsOptions = Pick<Dashboard, 'navigation' | 'selection' | 'terminal' | 'profile' | 'open' | 'say'>;

/** Returns the handlers of the commands that the present screen offers. */
export function useCustomCommands(options: CustomCommandsOptions): Readonly<Record<string, Handler>> {
  const { navigation, selection, terminal, profile, open, say } = options;
  const { settings, background } = use(ShellContext);
  const { screen } = navigation.target;

  const start = async ({ name, ...command }: CustomCommand, words: readonly string[]): Promise<void> => {
    if (command.background) {
      say({ tone: 'notice', text: `${name} runs in the background.` });
      const { isDone, text } = await background.run(words);
      say({ tone: isDone ? 'good' : 'warning', text: `${name}: ${text}` });
      return;
    }
    const problem = terminal === null ? 'There is no terminal.' : await terminal.run(words);
    if (problem !== null) say({ tone: 'warning', text: `${name}: ${problem}` });
  };

  const handle = (command: CustomCommand): void => {
    const { name, words } = command;
    const { current } = selection;
    const filled = fillWords(words, current?.screen === screen ? current.row : undefined, profile.url);
    if ('problem' in filled) {
      say({ tone: 'warning', text: `${name}: ${filled.problem}` });
      return;
    }
    if (!command.confirm) {
      void start(command, filled.words);
      return;
    }
    open({
      kind: 'confirm',
      title: `Run ${name}?`,
      lines: [wordsText(filled.words)],
      yes: 'Run it',
      async run() {
        void start(command, filled.words);
        return undefined;
      },
    });
  };

  return Object.fromEntries(
    settings.commands.flatMap((command, index) =>
      command.screens === null || command.screens.includes(screen)
        ? [[customCommandId(index), () => handle(command)]]
        : [],
    ),
  );
}
