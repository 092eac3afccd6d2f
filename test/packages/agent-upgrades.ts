// Upgrades of an agent at a server: offers a version, requests the operation, and compares what runs then.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type createClient, signIn } from '../../packages/sdk/src/index.ts';
import { install, PASSWORD, serve } from '../../scripts/release/outside.ts';
import { RELEASE, tarballs } from '../../scripts/release/release-folder.ts';
import { type Downloads, makeVersion, NAME, startDownloads, useNewKey } from './agent-versions.ts';
import { check, Skip, secondsSince } from './check.ts';
import { waitFor } from './installation.ts';

type Client = ReturnType<typeof createClient>;

/** The packed server, and the versions that it offers to its only agent. */
export interface UpgradeWorld {
  readonly url: string;
  readonly client: Client;
  /** Token with which the agent enrolls. */
  readonly token: string;
  readonly downloads: Downloads;
  /** Public key of the versions. */
  readonly key: string;
  /** Folder for files of the test. */
  readonly base: string;
}

/** A host with the agent. */
export interface UpgradedAgent extends UpgradeWorld {
  /** Everything that the agent has written. */
  log(): string;
}

/** Runs a test with a new server. Skips it where there is no executable for this machine. */
export async function withUpgradeWorld(test: (world: UpgradeWorld) => Promise<void>): Promise<void> {
  if (process.arch !== 'x64') throw new Skip('its versions are made for x64');
  if (!existsSync(join(RELEASE, NAME))) throw new Skip(`release/ has no ${NAME}; run pnpm release:executables`);
  const base = mkdtempSync(join(tmpdir(), 'quarterdeck-executable-'));
  const downloads = await startDownloads();
  const key = useNewKey(base);
  const program = join(install(base, 'server', tarballs('server')), 'node_modules/.bin/quarterdeckd');
  const settings = { QUARTERDECK_AGENT_INTERVAL: '2' };
  const { url, stop } = await serve(program, dirname(process.execPath), join(base, 'data'), settings);
  try {
    const { client } = await signIn({ url, username: 'admin', password: PASSWORD });
    const { token } = await client.apiToken.create({ body: { name: 'executable' } });
    await test({ url, client, token, downloads, key, base });
  } finally {
    downloads.stop();
    check((await stop()) === 0, 'the server stops');
    rmSync(base, { recursive: true });
  }
}

/** Version that runs, from the number that the agent reports. */
async function runningVersion({ client }: UpgradedAgent): Promise<string> {
  const { version = 0 } = (await client.agent.get({ params: { id: 1 } })).package ?? {};
  return [Math.floor(version / 1e6), Math.floor(version / 1e3) % 1e3, version % 1e3].join('.');
}

/** Waits until a version runs. */
export const untilRuns = (host: UpgradedAgent, version: string) =>
  waitFor(
    async () => (await runningVersion(host)) === version,
    () => `${version} does not run:\n${host.log()}`,
  );

/** Requests an upgrade, and compares its result; then the version `wanted` must run. */
export async function expectUpgrade(
  host: UpgradedAgent,
  what: string,
  [wanted, state, reason]: readonly [version: string, state: 'succeeded' | 'failed', reason: RegExp],
): Promise<void> {
  const startMs = performance.now();
  const { agentOperation } = host.client;
  const { id } = await agentOperation.create({ body: { agent_id: 1, kind: 'upgrade', params: {} } });
  const ended = await waitFor(
    async () => (await agentOperation.list()).data.find((one) => one.id === id && /succeeded|failed/.test(one.state)),
    () => `the upgrade does not end:\n${host.log()}`,
  );
  await untilRuns(host, wanted);
  const ok = ended.state === state && reason.test(ended.detail);
  check(ok, `${what}: ${ended.state}, ${ended.detail}; ${wanted} runs (${secondsSince(startMs)})`);
}

/** Makes a version and offers it. */
export async function offer(
  { base, downloads }: UpgradeWorld,
  ...[version, change]: [string, Parameters<typeof makeVersion>[3]?]
): Promise<string> {
  const folder = join(base, version);
  mkdirSync(folder);
  await makeVersion(tarballs('agent')[0] ?? '', folder, version, change);
  await downloads.offer(folder, version);
  return folder;
}
