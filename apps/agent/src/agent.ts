// Puts the agent together: state, facts, session, operations, log shipping, loop.

import { ADDRESS_DEFAULT, ConfigError } from '@quarterdeck/core/environment';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Command } from './config-values.ts';
import { type CollectFacts, createCollector } from './facts/collect.ts';
import { createExec } from './facts/exec.ts';
import { thisHost } from './facts/host.ts';
import { chooseNodeId } from './facts/node-id.ts';
import { readOwnPackage } from './facts/package.ts';
import { lockFolder } from './folder-lock.ts';
import { runLoop } from './loop.ts';
import { createHandlers } from './operations/handlers.ts';
import { createOperations, type Operations } from './operations/operations.ts';
import { createServerApi, type ServerApi } from './server-api.ts';
import { createSession, type Session } from './session.ts';
import { openShipper, type Shipper } from './ship/shipper.ts';
import { type Enrolment, type State, StateError, type StateFile, stateFileIn } from './state.ts';
import { createStateStore, type StateStore } from './state-store.ts';
import type { Random } from './timing.ts';
import { WakeSignal } from './wake-signal.ts';

/** What {@link runAgent} and {@link enrolAgent} need beside their configuration. */
export interface AgentOptions {
  readonly log: Logger;
  /** Version of the agent. */
  readonly version: string;
  /** The program file, whose age is when the agent was built. */
  readonly program: URL;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** A clock that only moves forward, in milliseconds. */
  readonly monotonicMs: () => number;
  readonly random: Random;
  /** Aborted = stop. */
  readonly signal: AbortSignal;
}

/** The addresses of the two halves of the server. */
interface Addresses {
  readonly url: string;
  readonly consoleUrl: string;
}

/** The state to begin with. Writing it once at the start shows right away whether an enrolment could be kept. */
async function openState(file: StateFile, chooseId: () => Promise<string>, log: Logger): Promise<State> {
  const { state, damaged } = await file.load();
  if (damaged !== undefined)
    log.error({ file: file.path, moved_to: damaged }, 'the state file is damaged; it is set aside');
  const begin = state ?? { node_id: await chooseId() };
  await file.save(begin);
  return begin;
}

/** Says which of the configured commands are of no use, before nobody looks at the log any more. */
async function checkTools(config: Config, collect: CollectFacts, log: Logger): Promise<void> {
  const { dependency } = await collect();
  const silent = (command: Command | undefined, version: string) => command !== undefined && version === '';
  if (silent(config.stapCommand, dependency.stap_version)) log.warn('QUARTERDECK_AGENT_STAP_COMMAND prints no version');
  if (silent(config.odbCommand, dependency.odb_version)) log.warn('QUARTERDECK_AGENT_ODB_COMMAND prints no version');
}

/** As configured; where nothing is, the addresses of the server at which this host is enrolled. */
function addressesOf({ url, consoleUrl }: Config, enrolment: Enrolment | undefined): Addresses {
  const server = url ?? enrolment?.url ?? enrolment?.server ?? ADDRESS_DEFAULT;
  return { url: server, consoleUrl: consoleUrl ?? (url === undefined ? (enrolment?.server ?? server) : server) };
}

/** What both commands begin with: this host, its state, and the way to the server. */
async function prepare(config: Config, options: AgentOptions, startedS?: number) {
  const { log, signal, version } = options;
  await lockFolder(config.agentDir);
  const host = thisHost(createExec({ path: config.path, signal }), config.inKubernetes);
  const stateFile = stateFileIn(config.agentDir);
  const stateStore = createStateStore(stateFile, await openState(stateFile, () => chooseNodeId(host), log), log);
  const addresses = addressesOf(config, stateStore.state.enrolment);
  const collect = createCollector({
    host,
    ownPackage: await readOwnPackage(version, options.program),
    tools: { stap: config.stapCommand, odb: config.odbCommand },
    startedS,
    monotonicMs: options.monotonicMs,
  });
  return { stateFile, stateStore, addresses, collect, serverApi: createServerApi({ ...addresses, version }) };
}

/** An agent whose parts know of each other. */
interface Parts {
  readonly session: Session;
  readonly shipper: Shipper | undefined;
}

async function build(
  config: Config,
  options: AgentOptions,
  {
    stateStore,
    addresses,
    collect,
    serverApi,
  }: { stateStore: StateStore; addresses: Addresses; collect: CollectFacts; serverApi: ServerApi },
  reportDue: WakeSignal,
  force = false,
): Promise<Parts> {
  const { log, version } = options;
  const shipper = await openShipping(config, options, serverApi, () => session.enrolment);
  const reopenFiles = shipper === undefined ? undefined : () => shipper.reopen();
  const operations: Operations = createOperations({
    stateStore,
    handlers: createHandlers({
      collect,
      reportAll: () => session.reportAll(),
      reopenFiles,
      upgradeCommand: config.upgradeCommand,
      path: config.path,
    }),
    version,
    reportDue,
    log,
  });
  const session: Session = createSession({
    serverApi,
    url: addresses.url,
    server: addresses.consoleUrl,
    enrollToken: config.enrollToken,
    force,
    stateStore,
    collect,
    operations,
    shipper: () => shipper?.state(),
    log,
  });
  return { session, shipper };
}

async function openShipping(
  { files, agentDir, spoolMaxBytes }: Config,
  { log, now, random, signal }: AgentOptions,
  serverApi: ServerApi,
  enrolment: () => Enrolment | undefined,
): Promise<Shipper | undefined> {
  if (files.length === 0) return undefined;
  try {
    return await openShipper({ files, agentDir, spoolMaxBytes, serverApi, enrolment, log, now, random, signal });
  } catch (cause) {
    throw new StateError(`cannot use the folder spool in ${agentDir}`, { cause });
  }
}

/**
 * Runs the agent until the signal is aborted.
 *
 * @throws ConfigError when this host is not enrolled and no token is given
 * @throws StateError when the state cannot be read or written at the start
 */
export async function runAgent(config: Config, options: AgentOptions): Promise<void> {
  const { log, signal, version, random } = options;
  const prepared = await prepare(config, options, Math.floor(options.now() / 1000));
  const { stateStore, addresses, collect } = prepared;
  if (stateStore.state.enrolment?.server !== addresses.consoleUrl && config.enrollToken === undefined) {
    throw new ConfigError(
      `QUARTERDECK_ENROLL_TOKEN is not set, and this host is not enrolled at ${addresses.consoleUrl}; ` +
        'allowed: an API token or enrolment token that may enrol agents',
    );
  }
  await checkTools(config, collect, log);
  const reportDue = new WakeSignal();
  const { session, shipper } = await build(config, options, prepared, reportDue);
  const { node_id } = stateStore.state;
  log.info({ version, server: addresses.consoleUrl, node_id, files: config.files.length }, 'started');
  const sleep = (ms: number, until: AbortSignal) => reportDue.wait(ms, until);
  await Promise.all([runLoop({ session, log, sleep, random, signal }), shipper?.run()]);
}

/**
 * Enrols this host, again if it is enrolled already; its id there. `force` takes the place of an agent with this node id
 * that is online.
 *
 * @throws ConfigError when no token is given
 * @throws StateError when the secret cannot be kept
 * @throws what the SDK throws when the server refuses or does not answer
 */
export async function enrolAgent(
  config: Config,
  options: AgentOptions,
  force = false,
): Promise<{ id: number; server: string }> {
  if (config.enrollToken === undefined) {
    throw new ConfigError('no token is given; allowed: --token-file FILE, QUARTERDECK_ENROLL_TOKEN, or standard input');
  }
  // Without a start: the one that counts is that of the agent which will run.
  const prepared = await prepare(config, options);
  // The old enrolment stays in the file until there is a new one.
  const { enrolment, operations, ...rest } = prepared.stateStore.state;
  const isSameServer = enrolment?.server === prepared.addresses.consoleUrl;
  const state = isSameServer && operations !== undefined ? { ...rest, operations } : rest;
  // Its former self may count as online for a while, where it was killed, and would be in the way.
  if (isSameServer) await prepared.serverApi.shutdown(enrolment).catch(() => undefined);
  const stateStore = createStateStore(prepared.stateFile, state, options.log);
  const { session } = await build(
    { ...config, files: [] },
    options,
    { ...prepared, stateStore },
    new WakeSignal(),
    force,
  );
  await session.report(options.signal);
  if (!stateStore.isSaved) throw new StateError(`cannot write the state file in ${config.agentDir}`);
  return { id: session.enrolment?.id ?? 0, server: prepared.addresses.consoleUrl };
}
