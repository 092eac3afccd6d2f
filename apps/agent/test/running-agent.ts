// Runs the loop against a console under a test clock: the loop sleeps until the test wakes it.

import { once } from 'node:events';
import type { AgentShipper, HostCertificate } from '@quarterdeck/core';
import { onTestFinished } from 'vitest';
import { createServerApi } from '../src/api/server-api.ts';
import type { HostFacts } from '../src/facts/collect.ts';
import type { ReadVitals } from '../src/facts/vitals.ts';
import { type State, type StateFile, stateFileIn } from '../src/files/state.ts';
import { createStateStore } from '../src/files/state-store.ts';
import { createLog } from '../src/log.ts';
import { runLoop } from '../src/loop.ts';
import { createHandlers, type HandlerOptions } from '../src/operations/handlers.ts';
import { createOperations, type Operations } from '../src/operations/operations.ts';
import { WakeSignal } from '../src/process/wake-signal.ts';
import { createSession, type Session } from '../src/session.ts';
import type { Changes } from '../src/watch/change-store.ts';
import { type FakeConsole, HOST_FACTS, startFakeConsole } from './fake-console.ts';
import { temporaryFolder } from './temporary.ts';

/** A token that no log may contain. */
export const ENROLL_TOKEN = `qd_t_${'CanaryToken'.padEnd(49, 'y')}`;

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [key: string]: unknown;
}

export interface RunningAgent {
  /** Present facts of the host. */
  facts: HostFacts;
  readonly lines: string[];
  /** Notified when an operation has something to report. */
  readonly reportDue: WakeSignal;
  readonly stateFile: StateFile;
  /** Resolves when the loop goes to sleep, with the milliseconds it wants to sleep. */
  rested(): Promise<number>;
  /** Ends the sleep and waits for the next one. */
  wake(): Promise<number>;
  /** Stops the agent and waits for its end. */
  stop(): Promise<void>;
  /** Aborts the agent at any point. */
  readonly abort: () => void;
  readonly ended: Promise<void>;
  /** Messages of the log at these levels. */
  said(...levels: string[]): string[];
}

export interface RunOptions {
  readonly token?: string | undefined;
  readonly state?: State;
  readonly dir?: string;
  readonly shipper?: AgentShipper;
  readonly changes?: Changes;
  readonly certificates?: () => HostCertificate[] | undefined;
  readonly vitals?: ReadVitals;
  /** True where files are hashed. */
  readonly hashesFiles?: boolean;
  /** Unix milliseconds; 0 by default. */
  readonly now?: () => number;
  readonly actions?: Partial<HandlerOptions>;
  readonly refusalOf?: (version: string) => string | undefined;
}

/** Starts a loop with the facts of a test. */
export async function runAgainst(server: FakeConsole, options: RunOptions = {}): Promise<RunningAgent> {
  const { token, state = { node_id: 'node-1' }, dir = await temporaryFolder() } = { token: ENROLL_TOKEN, ...options };
  const stop = new AbortController();
  const events = new EventTarget();
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, 'debug', false);
  const stateFile = stateFileIn(dir);
  let sleeping: { readonly ms: number; readonly wake: () => void } | undefined;

  const sleep = (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    sleeping = { ms, wake: resolve };
    events.dispatchEvent(new Event('sleep'));
    return promise;
  };
  const stateStore = createStateStore(stateFile, state, log);
  const collect = async () => structuredClone(agent.facts);
  const reportDue = new WakeSignal();
  const handlers = createHandlers({
    collect,
    reportAll: () => session.reportAll(),
    reopenFiles: undefined,
    upgradeCommand: undefined,
    path: '/usr/bin:/bin',
    ...options.actions,
  });
  const operations: Operations = createOperations({
    stateStore,
    handlers,
    version: '0.1.0',
    refusalOf: options.refusalOf,
    reportDue,
    log,
  });
  const session: Session = createSession({
    serverApi: createServerApi({ url: server.url, consoleUrl: server.url, version: '0.1.0' }),
    url: server.url,
    server: server.url,
    enrollToken: token,
    stateStore,
    collect,
    operations,
    shipper: () => options.shipper,
    changes: options.changes,
    certificates: options.certificates,
    vitals: options.vitals,
    hashesFiles: options.hashesFiles ?? false,
    now: options.now ?? (() => 0),
    log,
  });
  const agent: RunningAgent = {
    facts: HOST_FACTS,
    reportDue,
    lines,
    stateFile,
    async rested() {
      if (sleeping === undefined) await once(events, 'sleep');
      return sleeping?.ms ?? 0;
    },
    async wake() {
      await agent.rested();
      const { wake } = sleeping ?? {};
      sleeping = undefined;
      wake?.();
      return agent.rested();
    },
    async stop() {
      stop.abort();
      await agent.ended;
      // The result of an operation may still be on its way to the disk.
      await stateStore.update({});
    },
    abort: () => stop.abort(),
    ended: Promise.resolve().then(() =>
      runLoop({ session, log, sleep, pause: sleep, random: () => 0.5, signal: stop.signal }),
    ),
    said: (...levels) =>
      lines
        .map((line) => JSON.parse(line) as LogLine)
        .filter(({ level }) => levels.includes(level))
        .map(({ msg }) => msg),
  };
  onTestFinished(() => agent.stop());
  return agent;
}

/** Starts a loop against a server of its own, and waits until the agent rests after its first report. */
export async function startAgent(options: RunOptions = {}): Promise<{ server: FakeConsole; agent: RunningAgent }> {
  const server = await startFakeConsole();
  const agent = await runAgainst(server, options);
  await agent.rested();
  return { server, agent };
}
