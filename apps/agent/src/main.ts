#!/usr/bin/env node
// The program: arguments, signals, standard streams, exit code. Everything else is told what it needs.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ConfigError } from '@quarterdeck/core/environment';
import { pino } from 'pino';
import { runAgent } from './agent.ts';
import { describeVariables, readConfig } from './config.ts';
import { readVersion } from './facts/package.ts';
import { createLog } from './log.ts';
import { StateError } from './state.ts';

const HELP = `Usage: quarterdeck-agent [--help | --version]

Reports what this host is to a Quarterdeck server until it is stopped. Told what to do by environment variables:

${describeVariables()}

Each of them may instead be given as NAME_FILE, the name of a file that holds the value.
`;

const EXIT_FAILED = 1;
const EXIT_NOT_STARTED = 2;

const say = (text: string): void => void process.stdout.write(text);

function readArguments(): { readonly help?: boolean; readonly version?: boolean } {
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({ options: { help: { ...flag, short: 'h' }, version: { ...flag, short: 'V' } } }).values;
  } catch {
    throw new ConfigError('unknown argument; allowed: --help, --version');
  }
}

/** Aborted by the first signal that asks to stop; the second one ends the process the usual way. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

async function run(): Promise<void> {
  const { help, version: showVersion } = readArguments();
  const version = await readVersion(new URL('../package.json', import.meta.url));
  if (help) return say(HELP);
  if (showVersion) return say(`quarterdeck-agent ${version}\n`);

  const config = readConfig();
  const output = pino.destination({ fd: 1, sync: true });
  // Whoever read the log is gone; that is no reason to stop reporting.
  output.on('error', () => undefined);
  await runAgent(config, {
    log: createLog(output, config.logLevel, process.stdout.isTTY === true),
    version,
    program: new URL(import.meta.url),
    // An aborted wait is one that is over.
    sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
    random: Math.random,
    monotonicMs: () => performance.now(),
    signal: stopSignal(),
  });
}

/** The one line for a start that cannot be; undefined when it is a fault of the program. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof StateError) {
    return `${error.message}; allowed for QUARTERDECK_AGENT_DIR: a folder that this user may read and write`;
  }
  return undefined;
}

try {
  await run();
  // Connections that are kept open for the next request must not delay the end.
  process.exit();
} catch (error) {
  const refusal = refusalOf(error);
  process.stderr.write(`quarterdeck-agent: ${refusal ?? (error instanceof Error ? error.stack : error)}\n`);
  process.exit(refusal === undefined ? EXIT_FAILED : EXIT_NOT_STARTED);
}
