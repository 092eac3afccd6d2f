// Puts the agent together: state, facts, session, loop.

import { ConfigError } from '@quarterdeck/core/environment';
import type { Logger } from 'pino';
import type { Command, Config } from './config.ts';
import { type CollectFacts, createCollector } from './facts/collect.ts';
import { createExec } from './facts/exec.ts';
import { thisHost } from './facts/host.ts';
import { chooseNodeId } from './facts/node-id.ts';
import { readOwnPackage } from './facts/package.ts';
import { openLink } from './link.ts';
import { type LoopOptions, runLoop } from './loop.ts';
import { createSession } from './session.ts';
import { type State, type StateFile, stateFileIn } from './state.ts';

/** What {@link runAgent} needs beside its configuration. */
export interface AgentOptions extends Pick<LoopOptions, 'sleep' | 'random' | 'signal'> {
  readonly log: Logger;
  /** Version of the agent. */
  readonly version: string;
  /** The program file, whose age is when the agent was built. */
  readonly program: URL;
  /** A clock that only moves forward, in milliseconds. */
  readonly monotonicMs: () => number;
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

/**
 * Runs the agent until the signal is aborted.
 *
 * @throws ConfigError when this host is not enrolled and no token is given
 * @throws StateError when the state cannot be read or written at the start
 */
export async function runAgent(config: Config, options: AgentOptions): Promise<void> {
  const { log, signal, version } = options;
  const host = thisHost(createExec({ path: config.path, signal }), config.inKubernetes);
  const stateFile = stateFileIn(config.agentDir);
  const state = await openState(stateFile, () => chooseNodeId(host), log);
  if (state.enrolment?.server !== config.consoleUrl && config.enrollToken === undefined) {
    throw new ConfigError(
      `QUARTERDECK_ENROLL_TOKEN is not set, and this host is not enrolled at ${config.consoleUrl}; ` +
        'allowed: an API token or enrolment token that may enrol agents',
    );
  }
  const collect = createCollector({
    host,
    ownPackage: await readOwnPackage(version, options.program),
    tools: { stap: config.stapCommand, odb: config.odbCommand },
    monotonicMs: options.monotonicMs,
  });
  await checkTools(config, collect, log);
  const session = createSession({
    link: openLink({ url: config.url, consoleUrl: config.consoleUrl, version }),
    server: config.consoleUrl,
    enrollToken: config.enrollToken,
    stateFile,
    state,
    collect,
    log,
  });
  log.info({ version, server: config.consoleUrl, node_id: state.node_id }, 'started');
  await runLoop({ session, log, sleep: options.sleep, random: options.random, signal });
}
