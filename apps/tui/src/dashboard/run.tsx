// Runs the dashboard in a terminal until the user quits, a signal arrives or an error is uncaught. In every case it
// restores the terminal first.

import { cleanLines } from '@quarterdeck/views/text';
import type { Session } from '../data/session.ts';
import type { Start } from '../start/start.ts';
import { copyText } from '../system/clipboard.ts';
import { editText, pageText, runWords } from '../system/programs.ts';
import { type Terminal, TerminalContext } from '../system/terminal.ts';
import type { RealTerminal } from '../terminal/index.ts';
import { drawOn } from '../terminal/ink.ts';
import { themeFor } from '../theme/theme.ts';
import { App } from './app.tsx';

/** Exit codes of signals: 128 plus the number of the signal, as in shells. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
/** Longest wait for the sign-out request on quitting, milliseconds. */
const SIGN_OUT_MS = 1_000;
/** Maximum number of lines of a crash report. */
const CRASH_LINES = 9;

/** The answer to a program that wants the terminal while another one has it. */
const LENT = 'Another program has the terminal.';

/** Runs until the user quits. Resolves with the exit code. */
export async function runDashboard(start: Start, terminal: RealTerminal, draw = drawOn): Promise<number> {
  // The current session. Switching to another server replaces it.
  let session: Session | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number; crash?: unknown }>();
  const onSignal = (signal: NodeJS.Signals): void => {
    // Ctrl-C belongs to the editor or pager that has the terminal.
    if (signal !== 'SIGINT' || !terminal.isLent) end({ code: SIGNALS[signal as keyof typeof SIGNALS] });
  };
  const onCrash = (crash: unknown): void => end({ code: 1, crash });
  for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);

  // Keys that arrive together can ask for the terminal twice.
  const lend = <T,>(run: () => Promise<T>, refusal: T): Promise<T> =>
    terminal.isLent ? Promise.resolve(refusal) : terminal.suspend(run);
  const controls: Terminal = {
    onInput: (listener) => terminal.onInput(listener),
    bare: (lines) => terminal.bare(lines),
    edit: (text) => lend(() => editText(start.programs, text), { text, problem: LENT }),
    page: (text) => lend(() => pageText(start.programs, text), LENT),
    run: (words) => lend(() => runWords(words), LENT),
    setMouse: (on) => terminal.setMouse(on),
    stop: () => terminal.stop(),
    repaint: () => host.repaint(),
  };
  const theme = themeFor(start);
  const host = draw(
    <TerminalContext value={controls}>
      <App
        start={start}
        onSession={(present) => {
          session = present;
        }}
        copy={(text) => void copyText(start.clipboard, text, (sequence) => terminal.write(sequence))}
        quit={() => end({ code: 0 })}
      />
    </TerminalContext>,
    terminal,
    start.screenReader ? { caret: theme.caret, selected: theme['plain@selected'] } : null,
  );
  host.exited.catch(onCrash);

  const { code, crash } = await ended;
  await terminal.close();
  host.unmount();
  if (crash !== undefined) process.stderr.write(crashText(crash));
  await Promise.all([session?.leave(SIGN_OUT_MS), start.backgroundPrograms.end()]);
  session?.close();
  return code;
}

/** Text of a crash report: the error and the first lines of its stack, without control sequences. */
export function crashText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `quarterdeck: internal error\n${cleanLines(text).slice(0, CRASH_LINES).join('\n')}\n`;
}
