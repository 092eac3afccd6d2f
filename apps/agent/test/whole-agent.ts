// Runs the whole agent in this process, as the program does: configuration, state, facts, reports and shipping.
import { EventEmitter, once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type AgentOptions, enrolAgent, runAgent } from '../src/agent.ts';
import { type CommandLineOptions, readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';

type Environment = Readonly<Record<string, string>>;

/** Reads the configuration of a test. It watches nothing, and finds no command for its facts. */
const configOf = (env: Environment, given: CommandLineOptions = {}) =>
  readConfig(
    { QUARTERDECK_AGENT_WATCH: 'none', QUARTERDECK_LOG_LEVEL: 'debug', PATH: '/nowhere', ...env },
    undefined,
    given,
  );

const optionsWith = (write: (line: string) => void, signal: AbortSignal): AgentOptions => ({
  log: createLog({ write }, 'debug', false),
  version: '0.1.0',
  program: pathToFileURL('/nowhere/main.js'),
  now: Date.now,
  monotonicMs: () => performance.now(),
  random: () => 0.5,
  signal,
});

export interface WholeAgent {
  readonly log: () => string;
  /** Resolves when the log has this text. */
  readonly says: (text: string) => Promise<void>;
  /** Stops the agent and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** Starts an agent that ends with the test. */
export function startAgent(env: Environment): WholeAgent {
  const stop = new AbortController();
  const lines = new EventEmitter();
  let log = '';
  const write = (line: string): void => {
    log += line;
    lines.emit('line');
  };
  const ended = runAgent(configOf(env), optionsWith(write, stop.signal));
  const end = async () => {
    stop.abort();
    await ended;
  };
  onTestFinished(end);
  return {
    log: () => log,
    stop: end,
    async says(text) {
      while (!log.includes(text)) await Promise.race([once(lines, 'line'), ended]);
    },
  };
}

/** Runs the agent without waiting for anything but its end. */
export const runOnce = (env: Environment): Promise<boolean> =>
  runAgent(
    configOf(env),
    optionsWith(() => undefined, AbortSignal.abort()),
  );

/** Enrolls a host, as the command `enroll` does. */
export const enroll = (env: Environment, url: string, force = false): Promise<{ id: number; server: string }> =>
  enrolAgent(
    configOf(env, { url }),
    optionsWith(() => undefined, new AbortController().signal),
    force,
  );
