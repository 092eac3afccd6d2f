// Assembles the agent: state, facts, session, operations, log shipping, loop.

import { ADDRESS_DEFAULT, ConfigError } from '@quarterdeck/core/environment';
import type { Notifier } from '@quarterdeck/core/systemd';
import type { Logger } from 'pino';
import { createServerApi, type ServerApi } from './api/server-api.ts';
import type { Config } from './config.ts';
import { type CollectFacts, createCollector } from './facts/collect.ts';
import { createExec } from './facts/exec.ts';
import { thisHost } from './facts/host.ts';
import { chooseNodeId } from './facts/node-id.ts';
import { readOwnPackage } from './facts/package.ts';
import { createVitals } from './facts/vitals.ts';
import { lockFolder } from './files/folder-lock.ts';
import { type Enrollment, type State, StateError, type StateFile, stateFileIn } from './files/state.ts';
import { createStateStore, type StateStore } from './files/state-store.ts';
import { runLoop } from './loop.ts';
import { createHandlers } from './operations/handlers.ts';
import { createOperations, type Operations } from './operations/operations.ts';
import { createServiceStatus } from './process/service-status.ts';
import type { Random } from './process/timing.ts';
import { WakeSignal } from './process/wake-signal.ts';
import { createSession, type Session } from './session.ts';
import type { Command } from './settings/config-values.ts';
import { openShipper, type Shipper, type ShipperOptions } from './ship/shipper.ts';
import type { Launch } from './upgrade/hand-over.ts';
import { openUpgrades, type Upgrades } from './upgrade/upgrades.ts';
import { readKey } from './watch/config/hash-key.ts';
import { findDisks, MOUNTINFO } from './watch/disk.ts';
import { openWatch, type Watch } from './watch/watch.ts';

/** Dependencies of {@link runAgent} and {@link enrolAgent} beside their configuration. */
export interface AgentOptions {
  readonly log: Logger;
  readonly version: string;
  /** The program file; its modification time is the build time of the agent. */
  readonly program: URL;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
  readonly random: Random;
  /** Stops the agent when aborted. */
  readonly signal: AbortSignal;
  /** The start of this process, where it is a single executable. */
  readonly launch?: Launch | undefined;
  /** Tells the service manager about {@link runAgent}. */
  readonly notifier?: Notifier | undefined;
}

/** Addresses of the server and of its console, where agents report. */
interface Addresses {
  readonly url: string;
  readonly consoleUrl: string;
}

/** Loads the initial state. Saving it at once proves that an enrollment can be saved later. */
async function openState(file: StateFile, chooseId: () => Promise<string>, log: Logger): Promise<State> {
  const { state, damaged } = await file.load();
  if (damaged !== undefined)
    log.error({ file: file.path, moved_to: damaged }, 'the state file is damaged; moved aside');
  const begin = state ?? { node_id: await chooseId() };
  await file.save(begin);
  return begin;
}

/** Warns at the start about configured commands that print no version. */
async function checkTools(config: Config, collect: CollectFacts, log: Logger): Promise<void> {
  // Facts take a quarter of the start, and only the first report must wait for them.
  if (config.stapCommand === undefined && config.odbCommand === undefined) return;
  const { dependency } = await collect();
  const silent = (command: Command | undefined, version: string) => command !== undefined && version === '';
  if (silent(config.stapCommand, dependency.stap_version))
    log.warn('QUARTERDECK_AGENT_STAP_COMMAND prints no version; check the command');
  if (silent(config.odbCommand, dependency.odb_version))
    log.warn('QUARTERDECK_AGENT_ODB_COMMAND prints no version; check the command');
}

/** Uses the configured addresses, else those of the server where this host is enrolled. */
function addressesOf({ url, consoleUrl }: Config, enrollment: Enrollment | undefined): Addresses {
  const server = url ?? enrollment?.url ?? enrollment?.server ?? ADDRESS_DEFAULT;
  return { url: server, consoleUrl: consoleUrl ?? (url === undefined ? (enrollment?.server ?? server) : server) };
}

/** Builds the parts that both commands need: host, state, and client of the server. */
async function prepare(config: Config, options: AgentOptions, startedS?: number) {
  const { log, signal, version } = options;
  await lockFolder(config.agentDir);
  const host = thisHost(createExec({ path: config.path, signal }), config.inKubernetes);
  const stateFile = stateFileIn(config.agentDir);
  const stateStore = createStateStore(stateFile, await openState(stateFile, () => chooseNodeId(host), log), log);
  const addresses = addressesOf(config, stateStore.state.enrollment);
  const collect = createCollector({
    host,
    ownPackage: await readOwnPackage(version, options.program),
    tools: { stap: config.stapCommand, odb: config.odbCommand },
    startedS,
    monotonicMs: options.monotonicMs,
  });
  return {
    host,
    stateFile,
    stateStore,
    addresses,
    collect,
    serverApi: createServerApi({ ...addresses, version, proxies: config.proxies }),
  };
}

/** Parts of an agent that refer to each other. */
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
  {
    watch,
    accepted = new WakeSignal(),
    force = false,
    upgrades,
  }: {
    readonly watch?: Watch;
    readonly accepted?: WakeSignal;
    readonly force?: boolean;
    readonly upgrades?: Upgrades | undefined;
  },
): Promise<Parts> {
  const { log, version } = options;
  const onNewError = watch && (() => watch.lookSoon());
  const enrollment = () => session.enrollment;
  const shipper = await openShipping(config, options, { serverApi, enrollment, accepted, onNewError });
  const reopenFiles = shipper === undefined ? undefined : () => shipper.reopen();
  const operations: Operations = createOperations({
    stateStore,
    handlers: createHandlers({
      collect,
      reportAll: () => session.reportAll(),
      reopenFiles,
      upgradeCommand: config.upgradeCommand,
      selfUpgrade: upgrades?.selfUpgrade,
      path: config.path,
    }),
    version,
    refusalOf: upgrades?.refusalOf,
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
    changes: watch?.changes,
    certificates: watch && (() => watch.certificates()),
    vitals:
      watch &&
      createVitals({ findDisks: () => findDisks(MOUNTINFO, options.signal), monotonicMs: options.monotonicMs }),
    hashesFiles: watch !== undefined,
    now: options.now,
    log,
  });
  return { session, shipper };
}

async function openShipping(
  config: Config,
  options: AgentOptions,
  parts: Pick<ShipperOptions, 'serverApi' | 'enrollment' | 'accepted' | 'onNewError'>,
): Promise<Shipper | undefined> {
  const { files, journal, containerLogs, agentDir } = config;
  if (files.length === 0 && journal === undefined && containerLogs === undefined) return undefined;
  try {
    return await openShipper({ ...config, ...options, ...parts });
  } catch (cause) {
    throw new StateError(`cannot use the spool folder in ${agentDir}`, { cause });
  }
}

/**
 * Runs the agent until the signal is aborted, or until another version of it is to start: then it resolves with true.
 *
 * @throws ConfigError when this host is not enrolled and no token is given
 * @throws StateError when the state cannot be read or written at the start
 */
export async function runAgent(config: Config, given: AgentOptions): Promise<boolean> {
  const restarting = new AbortController();
  const options = { ...given, signal: AbortSignal.any([given.signal, restarting.signal]) };
  const { log, signal, version, random, notifier } = options;
  const prepared = await prepare(config, options, Math.floor(options.now() / 1000));
  const { stateStore, addresses, collect } = prepared;
  if (stateStore.state.enrollment?.server !== addresses.consoleUrl && config.enrollToken === undefined) {
    throw new ConfigError(
      `QUARTERDECK_ENROLL_TOKEN is not set, and this host is not enrolled at ${addresses.consoleUrl}; ` +
        'allowed: an API token or enrollment token that may enroll agents',
    );
  }
  await checkTools(config, collect, log);
  const reportDue = new WakeSignal();
  const accepted = new WakeSignal();
  const installationKey = () => readKey(prepared.stateStore.state.hash_key ?? '');
  const watch = await openWatch(config, { ...options, host: prepared.host, installationKey, reportDue });
  const upgrades = await openUpgrades(config, given.launch, { version, log, restart: () => restarting.abort() });
  const { session, shipper } = await build(config, options, prepared, reportDue, { watch, accepted, upgrades });
  const { node_id } = stateStore.state;
  log.info({ version, server: addresses.consoleUrl, node_id, files: config.files.length }, 'started');
  const sleep = (ms: number, until: AbortSignal) => reportDue.wait(ms, until);
  const pause = (ms: number, until: AbortSignal) => new WakeSignal().wait(ms, until);
  const onAccepted = () => {
    accepted.notify();
    void upgrades?.trial?.accept();
  };
  const onReport = notifier && createServiceStatus(notifier, addresses.consoleUrl);
  // A restart is no stop: the same process goes on as another version.
  given.signal.addEventListener('abort', () => notifier?.stopping('stops'), { once: true });
  const isRestarting = () => restarting.signal.aborted;
  const loop = runLoop({ session, log, sleep, pause, onAccepted, onReport, isRestarting, random, signal });
  await Promise.all([loop, shipper?.run(), watch.run()]);
  upgrades?.trial?.close();
  await notifier?.sent();
  return isRestarting() && !given.signal.aborted;
}

/**
 * Enrolls this host, also when it is enrolled already, and returns its id. `force` replaces an online agent with the
 * same node id.
 *
 * @throws ConfigError when no token is given
 * @throws StateError when the secret cannot be saved
 * @throws ClientError when the server refuses or does not answer
 */
export async function enrolAgent(
  config: Config,
  options: AgentOptions,
  force = false,
): Promise<{ id: number; server: string }> {
  if (config.enrollToken === undefined) {
    throw new ConfigError('no token is given; allowed: --token-file FILE, QUARTERDECK_ENROLL_TOKEN, or standard input');
  }
  // No start time: only the start of the agent that will run counts.
  const prepared = await prepare(config, options);
  // The old enrollment stays in the file until a new one replaces it.
  const { enrollment, operations, ...rest } = prepared.stateStore.state;
  const isSameServer = enrollment?.server === prepared.addresses.consoleUrl;
  const state = isSameServer && operations !== undefined ? { ...rest, operations } : rest;
  // A killed agent counts as online for a while and would block its own new enrollment.
  if (isSameServer) await prepared.serverApi.shutdown(enrollment).catch(() => undefined);
  const stateStore = createStateStore(prepared.stateFile, state, options.log);
  const { session } = await build(
    { ...config, files: [], journal: undefined, containerLogs: undefined },
    options,
    { ...prepared, stateStore },
    new WakeSignal(),
    { force },
  );
  await session.report(options.signal);
  if (!stateStore.isSaved) throw new StateError(`cannot write the state file in ${config.agentDir}`);
  return { id: session.enrollment?.id ?? 0, server: prepared.addresses.consoleUrl };
}
