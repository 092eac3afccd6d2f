// Upgrades of an agent at a server: offers a version, requests the operation, and compares what runs then.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD, type Served } from '../../scripts/release/outside.ts';
import { tarballs } from '../../scripts/release/release-folder.ts';
import { type Downloads, makeVersion } from './agent-versions.ts';
import { check, secondsSince } from './check.ts';
import { waitFor } from './installation.ts';

/** Time in which an agent starts or ends an upgrade on a busy machine. */
export const WAIT_MS = 120_000;

/** Calls the API; throws where it refuses. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

interface Operation {
  readonly id: number;
  readonly state: string;
  readonly detail: string;
}

/** The only agent of a server, and the versions that it is offered. */
export interface UpgradedAgent {
  readonly base: string;
  readonly downloads: Downloads;
  readonly call: Call;
  /** Everything that the agent has written. */
  log(): string;
}

/** Signs in as the first user. */
export async function signIn(server: Served): Promise<Call> {
  let session = '';
  const call: Call = async <T>(method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', 'edge-token': session, connection: 'close' };
    const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const { data, msg } = (await answer.json()) as { data: T; msg?: string };
    if (!answer.ok) throw new Error(`${method} ${path}: ${msg}`);
    return data;
  };
  const credentials = { username: 'admin', password: PASSWORD };
  session = (await call<{ token: string }>('POST', '/admin-api/user/login', credentials)).token;
  return call;
}

/** Version that runs, from the number that the agent reports. */
export async function runningVersion({ call }: UpgradedAgent): Promise<string> {
  const agent = await call<{ package: { version: number } }>('GET', '/api/agents/1');
  const { version } = agent.package;
  return [Math.floor(version / 1e6), Math.floor(version / 1e3) % 1e3, version % 1e3].join('.');
}

/** Requests an upgrade and waits for its end. */
async function upgrade(host: UpgradedAgent, version?: string): Promise<Operation> {
  const params = version === undefined ? {} : { version };
  const draft = { agent_id: 1, kind: 'upgrade', params };
  const { id } = await host.call<Operation>('POST', '/api/agents/operation', draft);
  return await waitFor(
    async () => {
      const { data } = await host.call<{ data: Operation[] }>('GET', '/api/agents/operation');
      return data.find((one) => one.id === id && /succeeded|failed/.test(one.state));
    },
    () => `the upgrade to ${version} does not end:\n${host.log()}`,
    WAIT_MS,
  );
}

/** Requests an upgrade, and compares its result and the version that runs then. */
export async function expectUpgrade(
  host: UpgradedAgent,
  what: string,
  wanted: { version: string; state: string; detail: RegExp },
): Promise<void> {
  const startMs = performance.now();
  const { state, detail } = await upgrade(host);
  const version = await waitFor(
    async () => ((await runningVersion(host)) === wanted.version ? wanted.version : undefined),
    () => `${wanted.version} does not run:\n${host.log()}`,
  ).catch(() => runningVersion(host));
  const ok = state === wanted.state && version === wanted.version && wanted.detail.test(detail);
  check(ok, `${what}: ${state}, ${detail}; ${version} runs (${secondsSince(startMs)})`);
}

/** Makes a version and offers it. */
export async function offer(
  { base, downloads }: UpgradedAgent,
  ...[version, change]: [string, Parameters<typeof makeVersion>[3]?]
): Promise<string> {
  const folder = join(base, version);
  mkdirSync(folder);
  await makeVersion(tarballs('agent')[0] ?? '', folder, version, change);
  await downloads.offer(folder, version);
  return folder;
}
