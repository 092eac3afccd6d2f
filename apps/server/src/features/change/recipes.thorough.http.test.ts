// The recipes of docs/how-to/report-changes.md that run here: the Git hook with the real git, and the scripts with
// curl and jq.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Change } from '@quarterdeck/core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/new-folder.ts';
import { findProgram } from '../../../../../test/programs.ts';
import { storeAgents } from '../../../test/fleet.ts';
import { exampleBelow } from '../../../test/guide.ts';
import { useApi } from '../../../test/start-api.ts';

const run = promisify(execFile);
const GUIDE = 'how-to/report-changes.md';
const git = findProgram('git');
const curl = findProgram('curl');
const jq = findProgram('jq');

const api = useApi();
let folder: string;
let token: string;
let tokenFile: string;
/** Arguments of every curl, as another user of the host could see them. */
let argumentsFile: string;
beforeAll(async () => {
  ({ token } = await api.admin.apiToken.create({ body: { name: 'ci', scopes: ['change:write'] } }));
});

beforeEach(() => {
  folder = newFolder();
  tokenFile = join(folder, 'change-token');
  writeFileSync(tokenFile, `API-Token: ${token}\n`, { mode: 0o600 });
  argumentsFile = join(folder, 'arguments');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'curl'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${argumentsFile}'\nexec '${curl}' "$@"\n`);
  chmodSync(join(bin, 'curl'), 0o755);
});

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
  HOME: folder,
  ...more,
});

async function changes(): Promise<readonly Change[]> {
  return (await api.admin.change.list({ query: { page_size: 1000 } })).data;
}

describe.skipIf(git === undefined || curl === undefined)('the Git hook', () => {
  const inGit = (cwd: string, ...args: string[]) =>
    run('git', ['-c', 'user.name=Ada "the\\first" Ünal', '-c', 'user.email=ada@example.org', ...args], {
      cwd,
      env: environment({ GIT_CONFIG_NOSYSTEM: '1' }),
    });

  const install = (hooks: string, name: string) => {
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, name), exampleBelow('## A Git hook', 'sh', {}, GUIDE), { mode: 0o755 });
  };

  async function configure(cwd: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = { url: api.url, tokenFile, ...settings };
    for (const [name, value] of Object.entries(all)) await inGit(cwd, 'config', `quarterdeck.${name}`, value);
  }

  /** Creates a repository with the hook and a clone of it. */
  async function repository(name: string, settings: Readonly<Record<string, string>> = {}) {
    const bare = join(folder, `${name}.git`);
    await inGit(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
    install(join(bare, 'hooks'), 'post-receive');
    await configure(bare, settings);
    const work = join(folder, name);
    await inGit(folder, 'clone', '--quiet', bare, work);
    await inGit(work, 'checkout', '--quiet', '-B', 'main');
    return { bare, work };
  }

  async function commit(work: string, text: string): Promise<string> {
    writeFileSync(join(work, 'file'), text);
    await inGit(work, 'add', 'file');
    await inGit(work, 'commit', '--quiet', '--message', text);
    return (await inGit(work, 'rev-parse', 'HEAD')).stdout.trim();
  }

  it('reports each push of the branch, with the hosts of its settings', async () => {
    const agent = await api.agent();
    const { work } = await repository('shop', { hosts: `host-${agent.nodeId} web-2` });
    const first = await commit(work, 'one');
    await inGit(work, 'push', '--quiet', 'origin', 'main');
    await commit(work, 'two');
    const third = await commit(work, 'three');
    await inGit(work, 'push', '--quiet', 'origin', 'main');
    const [latest, oldest] = await changes();
    expect(oldest).toMatchObject({ kind: 'deploy', name: 'shop', before: '', after: first });
    expect(latest).toMatchObject({
      ...{ kind: 'deploy', name: 'shop', before: first, after: third, author: 'Ada "the\\first" Ünal', agents: 1 },
      ...{ hosts: [`host-${agent.nodeId}`, 'web-2'], unknown_hosts: ['web-2'] },
    });
    const { data } = await api.admin.agent.events({ params: { id: agent.id }, query: { kind: 'change' } });
    expect(data.map(({ name, to }) => [name, to])).toEqual([
      ['shop', third],
      ['shop', first],
    ]);
    const seen = readFileSync(argumentsFile, 'utf8');
    expect(seen).toContain('/admin-api/change');
    expect(seen).not.toContain(token);
  });

  it('reports no other branch, no deleted branch and no push twice', async () => {
    const before = (await changes()).length;
    const { bare, work } = await repository('quiet', { branch: 'live' });
    const head = await commit(work, 'one');
    await inGit(work, 'push', '--quiet', 'origin', 'main', 'main:live');
    expect(await changes()).toHaveLength(before + 1);
    await inGit(work, 'push', '--quiet', 'origin', ':live');
    expect(await changes()).toHaveLength(before + 1);
    const zeros = '0'.repeat(40);
    const again = execFile(join(bare, 'hooks', 'post-receive'), { cwd: bare, env: environment() });
    again.stdin?.end(`${zeros} ${head} refs/heads/live\n`);
    expect(await new Promise((resolve) => again.once('close', resolve))).toBe(0);
    expect(await changes()).toHaveLength(before + 1);
  });

  it('accepts the push and warns where the token file is open to others or the server is away', async () => {
    const before = (await changes()).length;
    const { bare, work } = await repository('failing');
    chmodSync(tokenFile, 0o640);
    await commit(work, 'one');
    expect((await inGit(work, 'push', 'origin', 'main')).stderr).toContain('must exist and have mode 0600');
    chmodSync(tokenFile, 0o600);
    await configure(bare, { url: 'http://127.0.0.1:9' });
    await commit(work, 'two');
    expect((await inGit(work, 'push', 'origin', 'main')).stderr).toContain('the server did not accept the report');
    expect(await changes()).toHaveLength(before);
  });

  it('reports each commit as post-commit', async () => {
    const work = join(folder, 'etc');
    await inGit(folder, 'init', '--quiet', work);
    install(join(work, '.git', 'hooks'), 'post-commit');
    await configure(work, { kind: 'config', hosts: 'web-9' });
    const first = await commit(work, 'one');
    const second = await commit(work, 'two');
    const [latest, oldest] = await changes();
    expect(oldest).toMatchObject({ kind: 'config', name: 'etc', before: '', after: first, hosts: ['web-9'] });
    expect(latest).toMatchObject({ before: first, after: second });
  });
});

/** Agents that report; returns their hostnames. */
async function startedHosts(count: number): Promise<readonly string[]> {
  const ids = await storeAgents(api, count);
  const agents = await api.server.deps.db.read.prisma.agent.findMany({ where: { id: { in: ids } } });
  return agents.map(({ hostname }) => hostname);
}

/** Sends an error of each host every second. */
async function keepFailing(hosts: readonly string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await api.admin.errlog.append({
      body: hosts.map((host) => ({ level: 4, log: 'no currency', host, service: 'shop' })),
    });
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
}

describe.skipIf(curl === undefined || jq === undefined)('a script of the guide', () => {
  const bash = (script: string, env: Readonly<Record<string, string>>) =>
    run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env: environment(env) });

  it('reports a deployment', async () => {
    const addresses = { '/etc/quarterdeck/change-token': tokenFile, 'https://quarterdeck.example.org': api.url };
    const script = exampleBelow('## Report a change', 'sh', addresses, GUIDE);
    const { stdout } = await bash(script, { VERSION: '1.4.2' });
    const { data } = JSON.parse(stdout);
    expect(data).toEqual({ id: expect.any(Number), unknown_hosts: ['web1', 'web2'] });
    expect(JSON.parse((await bash(script, { VERSION: '1.4.2' })).stdout).data).toEqual(data);
  });

  it('reports a deployment, waits for the verdict, and rolls back where errors get worse', async () => {
    const hosts = (await startedHosts(6)).slice(0, 2);
    const scopes = ['change:write', 'errlog:read'] as const;
    const gate = await api.admin.apiToken.create({ body: { name: 'gate', scopes: [...scopes] } });
    writeFileSync(join(folder, 'token'), gate.token, { mode: 0o600 });
    writeFileSync(join(folder, 'gate.sh'), exampleBelow('## Stop a bad deployment', 'sh', {}, GUIDE), { mode: 0o755 });
    writeFileSync(join(folder, 'deploy.sh'), `#!/bin/sh\necho "$@" >> '${join(folder, 'deployed')}'\n`, {
      mode: 0o755,
    });
    const main = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url));
    const command = `exec '${process.execPath}' --conditions=@quarterdeck/source '${main}' "$@"`;
    writeFileSync(join(folder, 'bin', 'quarterdeck'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
    const env = { QUARTERDECK_URL: api.url, QUARTERDECK_TOKEN_FILE: join(folder, 'token') };
    const ran = bash(`./gate.sh 1.4.1 1.4.2 ${hosts.join()}`, env);
    const sending = new AbortController();
    void keepFailing(hosts, sending.signal);
    await expect(ran).rejects.toMatchObject({ code: 10, stderr: expect.stringContaining('made errors worse') });
    sending.abort();
    expect(readFileSync(join(folder, 'deployed'), 'utf8')).toBe(`1.4.1 ${hosts.join()}\n`);
  }, 180_000);

  /** The block of a YAML key that is written as `key: |`. */
  const blockOf = (yaml: string, key: string) => {
    const lines = yaml.split('\n');
    const at = lines.findIndex((text) => text.trim() === `${key} |`);
    const indent = (lines[at + 1] ?? '').search(/\S/);
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((text) => text.trim() !== '' && text.search(/\S/) < indent);
    return rest.slice(0, end === -1 ? undefined : end).join('\n');
  };

  it('reports from GitHub Actions', async () => {
    const script = blockOf(exampleBelow('## GitHub Actions', 'yaml', {}, GUIDE), 'run:');
    await bash(script, {
      ...{ QUARTERDECK_URL: api.url, QUARTERDECK_TOKEN: token, RUN_URL: 'https://ci.example.org/runs/7' },
      ...{ BEFORE: 'a'.repeat(40), GITHUB_SHA: 'b'.repeat(40), GITHUB_REPOSITORY: 'acme/shop', GITHUB_ACTOR: 'ada' },
      ...{ GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '1', GITHUB_JOB: 'deploy' },
    });
    const [change] = await changes();
    expect(change).toMatchObject({ name: 'shop', before: 'a'.repeat(12), after: 'b'.repeat(12), author: 'ada' });
    expect(change).toMatchObject({ url: 'https://ci.example.org/runs/7', labels: { tier: 'web' } });
    expect(readFileSync(argumentsFile, 'utf8')).not.toContain(token);
  });

  it('reports from GitLab', async () => {
    const addresses = { 'https://quarterdeck.example.org': api.url };
    const script = blockOf(exampleBelow('## GitLab', 'yaml', addresses, GUIDE), '-');
    await bash(script, {
      ...{ QUARTERDECK_HEADER: tokenFile, CI_PROJECT_NAME: 'shop', CI_COMMIT_BEFORE_SHA: 'c'.repeat(40) },
      ...{ CI_COMMIT_SHORT_SHA: 'dddddddd', CI_PIPELINE_URL: 'https://gitlab.example.org/p/9' },
      ...{ GITLAB_USER_LOGIN: 'ada', CI_JOB_ID: '9' },
    });
    const [change] = await changes();
    expect(change).toMatchObject({ name: 'shop', before: 'cccccccc', after: 'dddddddd', author: 'ada' });
    expect(readFileSync(argumentsFile, 'utf8')).not.toContain(token);
  });
});
