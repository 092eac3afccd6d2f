// The program: starts the dashboard, or prints one answer.
import { readFileSync } from 'node:fs';
import { ConfigError } from '@quarterdeck/core/environment';
import { readSmallFile } from '@quarterdeck/core/small-file';
import { enableCompileCache } from './compile-cache.ts';
import { boundMemory } from './dashboard/memory.ts';
import { type Config, type CredentialStore, HELP, readConfig, takeEnvironment } from './start/config.ts';
import { RealTerminal } from './terminal/index.ts';

export type { CredentialStore } from './start/config.ts';

/** Longest wait for the first answer before the dashboard shows that it connects, milliseconds. */
const ANSWER_MS = 50;

/** Parts that the command line has and this package has not. */
interface ProgramOptions {
  /** The store of sign-ins. */
  readonly credentials?: CredentialStore;
}

/** Renders the first frame for a terminal of this size. */
function skeleton(columns: number, rows: number, server: string, ascii: boolean): string {
  const title = ' Quarterdeck';
  // The address may contain anything; only printable ASCII is shown.
  const where = `  ${server.replaceAll(/[^\x20-\x7e]/g, '?')}`.slice(0, Math.max(0, columns - title.length - 1));
  const wait = ascii ? ' Starting...' : ' Starting…';
  return `\u001B[1m${title}\u001B[m\u001B[2m${where}\u001B[${rows}H${wait.slice(0, columns)}\u001B[m`;
}

/** Runs with these arguments. Resolves with the exit code. */
export async function runProgram(args: readonly string[], { credentials }: ProgramOptions = {}): Promise<number> {
  const { stdin, stdout, stderr } = process;
  let config: Config;
  try {
    const read = readConfig(args, takeEnvironment(), readSmallFile);
    // The demo has no server to sign in to.
    config = read.demo ? read : { ...read, credentials };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`quarterdeck: ${error.message}\n`);
    return 2;
  }

  if (config.mode === 'help') {
    stdout.write(HELP);
    return 0;
  }
  if (config.mode === 'version') {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    stdout.write(`quarterdeck ${version}\n`);
    return 0;
  }
  if (config.mode !== 'screen') {
    const { printOverview } = await import('./print/overview.ts');
    return printOverview(config, stdout, stderr);
  }
  if (!stdin.isTTY || !stdout.isTTY) {
    stderr.write('quarterdeck: not a terminal; use --once for a text overview or --json for JSON.\n');
    return 2;
  }
  if (!config.movesCursor) {
    stderr.write(
      'quarterdeck: this terminal cannot show the dashboard (TERM); printing the overview, as --once does.\n',
    );
    const { printOverview } = await import('./print/overview.ts');
    return printOverview(config, stdout, stderr);
  }
  const terminal = new RealTerminal(process);
  terminal.open(skeleton(stdout.columns, stdout.rows, config.profile.url, config.ascii ?? !config.isUtf8));
  enableCompileCache();
  // Loads Ink and React after the skeleton is drawn and the server is asked: they take longer than everything above,
  // and the server answers meanwhile.
  const { begin } = await import('./start/start.ts');
  const start = await begin(config, stdout.columns);
  boundMemory();
  const { runDashboard } = await import('./dashboard/run.tsx');
  // A server nearby has answered by now, so that the first screen drawn is the final one.
  await Promise.race([start.firstSession.settled(), new Promise((resolve) => setTimeout(resolve, ANSWER_MS))]);
  return runDashboard(start, terminal);
}
