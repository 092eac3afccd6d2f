// The dashboard in a real terminal: takes the terminal over, and gives it back however this ends.
import { render } from 'ink';
import { App } from '../app.tsx';
import type { Config } from '../config.ts';
import { createSession } from '../data/session.ts';
import { cleanLines } from '../text/clean.ts';
import { clipboardSequence } from './clipboard.ts';

/** 128 + the number of the signal, as shells report it. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
/** Quitting never waits longer than this for the server. */
const SIGN_OUT_MS = 1_000;
/** Nor longer than this for a terminal that may be gone. */
const UNMOUNT_MS = 1_000;
/** Lines of a crash that are shown; what matters is in the first ones. */
const CRASH_LINES = 9;

// A row whose width the terminal sees otherwise than we do must not run into the next one.
const AUTOWRAP_OFF = '\u001B[?7l';
// Alternate screen left, bracketed paste off, autowrap on, cursor shown. Harmless where it is so already.
const RESTORE = '\u001B[?2004l\u001B[?1049l\u001B[?7h\u001B[?25h';

/** Runs until the user leaves; resolves with the exit code. */
export async function runDashboard(config: Config): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const session = createSession({ url: config.url, token: config.token });
  let code = 0;
  let crash: unknown;

  // The terminal may be gone (SIGHUP); a failing write must not become a crash of its own.
  stdout.on('error', () => undefined);
  stdout.write(AUTOWRAP_OFF);
  const { promise: gone, resolve: giveUp } = Promise.withResolvers<void>();
  const leave = (): void => {
    // tmux 3.3 leaves rows of the alternate screen behind after a resize: then at least blank ones.
    instance.clear();
    instance.unmount();
    setTimeout(giveUp, UNMOUNT_MS);
  };
  const instance = render(
    <App
      session={session}
      server={config.url}
      color={config.color}
      copy={(text) => stdout.write(clipboardSequence(text))}
      quit={leave}
    />,
    {
      alternateScreen: true,
      // Ink takes a CI variable for "no terminal"; main has looked at the terminal itself.
      interactive: true,
      exitOnCtrlC: false,
      patchConsole: false,
      incrementalRendering: true,
      maxFps: 60,
    },
  );

  const onSignal = (signal: NodeJS.Signals): void => {
    code = SIGNALS[signal as keyof typeof SIGNALS];
    leave();
  };
  const onCrash = (error: unknown): void => {
    crash ??= error;
    code = 1;
    leave();
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);

  try {
    await Promise.race([instance.waitUntilExit(), gone]);
  } catch (error) {
    // A component threw while rendering.
    crash ??= error;
    code = 1;
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false);
    stdout.write(RESTORE);
  }
  if (crash !== undefined) stderr.write(crashText(crash));
  await session.signOut(SIGN_OUT_MS);
  session.close();
  return code;
}

/** What a crash leaves behind: the error's own text and where it was, short, with nothing a terminal would act on. */
export function crashText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `quarterdeck: stopped by an error of its own\n${cleanLines(text).slice(0, CRASH_LINES).join('\n')}\n`;
}
