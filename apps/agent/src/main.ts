#!/usr/bin/env node
// The program: arguments, signals, standard streams and exit code; passes everything else to the parts.
import './process/require-node.ts';
import { isSea } from 'node:sea';
import { text } from 'node:stream/consumers';
import { ConfigError } from '@quarterdeck/core/environment';
import { trustAuthorities } from '@quarterdeck/core/network';
import { guardOutput } from '@quarterdeck/core/output';
import { escapeUnseen } from '@quarterdeck/core/small-file';
import { environmentWith, notifierFor, type Service } from '@quarterdeck/core/systemd';
import { isClientError } from '@quarterdeck/sdk';
import { pino } from 'pino';
import { type AgentOptions, enrolAgent, runAgent } from './agent.ts';
import { createServerApi } from './api/server-api.ts';
import { type Arguments, HELP, readArguments } from './arguments.ts';
import { type Config, readConfig, readToken, takeServiceManager } from './config.ts';
import { createExec } from './facts/exec.ts';
import { readVersion } from './facts/package.ts';
import { ownEnvironment } from './files/agent-dir.ts';
import { StateError } from './files/state.ts';
import { createLog } from './log.ts';
import { isNodeIdTaken, reasonOf } from './process/failures.ts';
import { findUnit, STOP_MAX_MS } from './systemd-unit.ts';
import { uninstall } from './uninstall.ts';
import { rollback, upgrade } from './upgrade/commands.ts';
import { type Launch, startAgain, takeLaunch } from './upgrade/hand-over.ts';
import { refuseTrial } from './upgrade/trial.ts';
import { isUpgradeFailure } from './upgrade/upgrader.ts';

/** Set at build time in the bundle of one file; see rolldown.config.ts. */
declare const BUNDLED_VERSION: string | undefined;

const NODE_ID_TAKEN = '; another agent with this node_id is online: stop it, wait until it is offline, or give --force';

const EXIT_FAILED = 1;
const EXIT_NOT_STARTED = 2;
/** `EX_TEMPFAIL` of sysexits.h: a service manager starts the agent again. */
const EXIT_START_AGAIN = 75;

const say = (line: string): void => void process.stdout.write(line);

/** Aborts at the first stop signal; the second one ends the process in the usual way. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

function optionsFor(config: Config, version: string, launch?: Launch): AgentOptions {
  const output = pino.destination({ fd: 1, sync: true });
  // Nobody reads the log any more; the agent keeps reporting.
  output.on('error', () => undefined);
  return {
    log: createLog(output, config.logLevel, process.stdout.isTTY === true),
    version,
    program: new URL(import.meta.url),
    random: Math.random,
    now: Date.now,
    monotonicMs: () => performance.now(),
    signal: stopSignal(),
    launch,
  };
}

function withNotifier(manager: Service, { path }: Config, options: AgentOptions): AgentOptions {
  const onFailure = (err: Error) => options.log.warn({ err }, 'could not tell the service manager about this agent');
  return { ...options, notifier: notifierFor(manager, { path, onFailure }) };
}

/** Token for `enroll`: from the command line, the configuration, or standard input unless that is a terminal. */
async function tokenFor({ token }: Arguments, config: Config): Promise<string | undefined> {
  if (token !== undefined) return readToken(token);
  if (config.enrollToken !== undefined) return config.enrollToken;
  return process.stdin.isTTY ? undefined : readToken(await text(process.stdin));
}

async function enroll(commandLine: Arguments, config: Config, version: string): Promise<void> {
  const enrollToken = await tokenFor(commandLine, config);
  const options = optionsFor({ ...config, logLevel: 'silent' }, version);
  const { id, server } = await enrolAgent({ ...config, enrollToken }, options, commandLine.force);
  say(`enrolled at ${server} as agent ${id}\n`);
}

/** Asks at the terminal; refuses where there is none. */
async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new ConfigError('uninstall asks first; give --yes where nobody can answer');
  // Loaded on demand: an agent that runs needs none of it.
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await lines.question('Remove these? [y/N] ');
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function remove({ yes }: Arguments, config: Config, version: string): Promise<boolean> {
  const { agentDir, path } = config;
  const exec = createExec({ path, signal: new AbortController().signal, timeoutMs: STOP_MAX_MS });
  return await uninstall({
    agentDir,
    unit: await findUnit(agentDir, exec),
    serverApi: ({ server, url = server }) =>
      createServerApi({ url, consoleUrl: server, version, proxies: config.proxies }),
    confirm: yes ? async () => true : confirm,
    say: (line) => say(`${line}\n`),
  });
}

/** Replaces the executable, by hand. */
async function replace(given: Arguments, { agentDir, upgrade: settings }: Config, launch?: Launch): Promise<void> {
  if (launch === undefined) {
    throw new ConfigError('this agent is no single executable; replace it in the way that it was installed');
  }
  const options = { agentDir, installed: launch.installed, say: (line: string) => say(`${line}\n`) };
  if (given.command === 'rollback') return await rollback(options);
  await upgrade({ ...options, settings, checkOnly: given.check, force: given.force });
}

/** The start of this process. */
interface Start {
  readonly version: string;
  /** The service manager that started it. */
  readonly manager: Service;
  /** Set for a single executable. */
  readonly launch: Launch | undefined;
}

/** Starts the agent again where that is possible: another version of it is to run. */
async function tryAgain({ launch, manager }: Start): Promise<void> {
  if (launch !== undefined) await startAgain(launch, environmentWith(manager, ownEnvironment));
}

/** Trusts the authorities of the configuration. */
function trust({ ca }: Config): void {
  try {
    if (ca !== undefined) trustAuthorities(ca.pem, ca.setting);
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}

async function run(start: Start): Promise<void> {
  const { version, manager, launch } = start;
  const given = readArguments(process.argv.slice(2));
  // A host goes on reporting where its log cannot be written; a command has not printed what it was asked for.
  if (given.command === 'run') process.stdout.on('error', () => process.exit());
  else guardOutput('quarterdeck-agent');
  if (given.command === 'help') return say(HELP);
  if (given.command === 'version') return say(`quarterdeck-agent ${version}\n`);
  const config = readConfig(undefined, undefined, given);
  trust(config);
  if (given.command === 'uninstall') {
    if (!(await remove(given, config, version))) process.exitCode = EXIT_FAILED;
    return;
  }
  if (given.command === 'enroll') return await enroll(given, config, version);
  if (given.command !== 'run') return await replace(given, config, launch);
  const isRestarting = await runAgent(config, withNotifier(manager, config, optionsFor(config, version, launch)));
  if (!isRestarting) return;
  await tryAgain(start);
  process.exitCode = EXIT_START_AGAIN;
}

/** The one line for an invalid start; undefined for a bug of the program. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) return escapeUnseen(error.message);
  if (error instanceof StateError) {
    return `${error.message}; allowed for QUARTERDECK_AGENT_DIR: a folder that this user may read and write`;
  }
  return undefined;
}

/** Prints why the program ends. Returns the exit code. */
function explain(error: unknown): number {
  const refusal = refusalOf(error);
  if (refusal === undefined && isClientError(error)) {
    const { code, status } = reasonOf(error);
    process.stderr.write(`quarterdeck-agent: the server did not enroll this host: ${code} ${status ?? ''}`.trimEnd());
    if (isNodeIdTaken(error)) process.stderr.write(NODE_ID_TAKEN);
    process.stderr.write('\n');
    return EXIT_FAILED;
  }
  if (isUpgradeFailure(error)) {
    process.stderr.write(`quarterdeck-agent: not upgraded: ${error.message}\n`);
    return EXIT_FAILED;
  }
  process.stderr.write(`quarterdeck-agent: ${refusal ?? (error instanceof Error ? error.stack : error)}\n`);
  return refusal === undefined ? EXIT_FAILED : EXIT_NOT_STARTED;
}

async function main(): Promise<void> {
  const version =
    typeof BUNDLED_VERSION === 'string'
      ? BUNDLED_VERSION
      : await readVersion(new URL('../package.json', import.meta.url));
  const launch = isSea() ? takeLaunch(ownEnvironment, { path: process.execPath, version }) : undefined;
  const start: Start = { version, manager: takeServiceManager(), launch };
  try {
    await run(start);
    // Exits at once instead of waiting for kept-alive connections; what was printed leaves first.
    process.stdout.write('', (error) => {
      if (error == null) process.exit();
    });
  } catch (error) {
    const code = explain(error);
    // systemd would not start a version again that refuses the configuration.
    if (launch !== undefined && (await refuseTrial(launch, `ended with code ${code}`))) await tryAgain(start);
    process.exit(code);
  }
}

// Not `await`: see start.ts.
void main();
