// The dashboard in a real terminal, until the user leaves, a signal comes or something breaks. However it ends, the
// terminal is given back first.
import { App } from '../app.tsx';
import type { Session } from '../data/session.ts';
import type { Start } from '../start.ts';
import type { RealTerminal } from '../terminal/index.ts';
import { drawOn } from '../terminal/ink.ts';
import { cleanLines } from '../text/clean.ts';
import { themeFor } from '../theme.ts';
import { copyText } from './clipboard.ts';
import { editText, pageText } from './programs.ts';
import { type Terminal, TerminalContext } from './terminal.ts';

/** 128 + the number of the signal, as shells report it. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
/** Quitting never waits longer than this for the server. */
const SIGN_OUT_MS = 1_000;
/** Lines of a crash that are shown; what matters is in the first ones. */
const CRASH_LINES = 9;

/** Runs until the user leaves; resolves with the exit code. */
export async function runDashboard(start: Start, terminal: RealTerminal, draw = drawOn): Promise<number> {
  // The present one: another server may be chosen at any time.
  let session: Session | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number; crash?: unknown }>();
  const onSignal = (signal: NodeJS.Signals): void => {
    // Ctrl-C in a program that has the terminal is for that program.
    if (signal !== 'SIGINT' || !terminal.isLent) end({ code: SIGNALS[signal as keyof typeof SIGNALS] });
  };
  const onCrash = (crash: unknown): void => end({ code: 1, crash });
  for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);

  const controls: Terminal = {
    onInput: (listener) => terminal.onInput(listener),
    bare: (lines) => terminal.bare(lines),
    edit: (text) => terminal.suspend(() => editText(start.programs, text)),
    page: (text) => terminal.suspend(() => pageText(start.programs, text)),
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
  await session?.signOut(SIGN_OUT_MS);
  session?.close();
  return code;
}

/** What a crash leaves behind: the error's own text and where it was, short, with nothing a terminal would act on. */
export function crashText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `quarterdeck: stopped by an error of its own\n${cleanLines(text).slice(0, CRASH_LINES).join('\n')}\n`;
}
