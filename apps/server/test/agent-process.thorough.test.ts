// The built agent, as a process of its own, reports to a real server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname, release } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../test/new-folder.ts';
import { startApi, type TestApi } from './start-api.ts';

const MAIN = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));
const LIMIT_MS = 90_000;

/** A folder, and a way to start agents whose state is in it. Both end with the test. */
async function prepare(api: TestApi) {
  const dir = newFolder();
  const { token } = await api.admin.apiToken.create({ body: { name: 'enrollment' } });
  const enrolling = { QUARTERDECK_ENROLL_TOKEN: token };

  /** Starts an agent; returns what ends it and resolves with its exit code. */
  function start(settings: Readonly<Record<string, string>> = enrolling) {
    const { PATH } = process.env;
    const usual = { PATH, QUARTERDECK_URL: api.url, QUARTERDECK_AGENT_DIR: join(dir, 'agent') };
    const agent = spawn(process.execPath, [MAIN], { stdio: 'ignore', env: { ...usual, ...settings } });
    onTestFinished(() => void agent.kill('SIGKILL'));
    return async (signal: NodeJS.Signals): Promise<number | null> => {
      const ended = once(agent, 'exit');
      agent.kill(signal);
      return (await ended)[0];
    };
  }
  return { dir, enrolling, start };
}

describe('the built agent', () => {
  it('enrolls, reports this host, says goodbye, and comes back as itself', { timeout: LIMIT_MS }, async () => {
    await using api = await startApi({ AGENT_INTERVAL: '1' });
    const { start } = await prepare(api);
    const only = async () => {
      const agents = await api.admin.agent.list();
      return agents.length === 1 ? agents[0] : undefined;
    };
    const isOnline = async () => (await only())?.online;
    const end = start();
    await expect.poll(isOnline).toBe(true);
    const agent = await only();
    expect(agent).toMatchObject({ hostname: hostname(), is_deleted: false, progress: { current: 0, detail: '' } });
    expect(agent?.system_version.kernel).toBe(release());
    expect(await end('SIGTERM')).toBe(0);
    expect(await isOnline()).toBe(false);

    // Its own secret is enough now.
    const endAgain = start({});
    await expect.poll(isOnline).toBe(true);
    expect((await only())?.id).toBe(agent?.id);
    await endAgain('SIGTERM');
  });

  it('reports what changed while it was killed, with masked lines, and once', { timeout: LIMIT_MS }, async () => {
    await using api = await startApi({ AGENT_INTERVAL: '1' });
    const { dir, enrolling, start } = await prepare(api);
    const tree = join(dir, 'nginx');
    mkdirSync(tree);
    const path = join(tree, 'nginx.conf');
    writeFileSync(path, 'listen 80;\npassword one;\n');
    const settings = {
      ...enrolling,
      QUARTERDECK_AGENT_WATCH: 'config',
      QUARTERDECK_AGENT_CONFIG_TREES: tree,
      QUARTERDECK_AGENT_CONFIG_DIFF: 'on',
    };
    const changes = async () => {
      const [agent] = await api.admin.agent.list();
      if (agent === undefined) return [];
      const { data } = await api.admin.agent.events({ params: { id: agent.id }, query: { kind: 'config' } });
      return data.map((entry) => ({ ...entry, agent: agent.id }));
    };

    const kill = start(settings);
    await expect.poll(() => existsSync(join(dir, 'agent/watch/config.json'))).toBe(true);
    await expect.poll(async () => (await api.admin.agent.list()).length).toBe(1);
    await kill('SIGKILL');
    writeFileSync(path, 'listen 81;\npassword two;\n');
    const beforeS = Date.now() / 1000;

    const stop = start(settings);
    await expect.poll(async () => (await changes()).length).toBe(1);
    await stop('SIGTERM');
    const [entry] = await changes();
    expect(entry).toMatchObject({ field: path, has_diff: true });
    // The time of the change, not of the report.
    expect(entry?.time).toBeLessThan(beforeS + 1);
    const { diff } = await api.admin.agent.diff({ params: { id: entry?.agent ?? 0, event: entry?.id ?? 0 } });
    expect(diff).toBe('@@ -1,2 +1,2 @@\n-listen 80;\n-...(12 characters);\n+listen 81;\n+...(12 characters);');
  });

  it('has the ledger count skipped entries of the journal, once, after a kill too', { timeout: LIMIT_MS }, async () => {
    await using api = await startApi({ AGENT_INTERVAL: '1' });
    const { dir, enrolling, start } = await prepare(api);
    const entries = join(dir, 'entries');
    const write = (cursor: number, MESSAGE: string) =>
      appendFileSync(entries, `${JSON.stringify({ MESSAGE, __REALTIME_TIMESTAMP: '1', __CURSOR: `at-${cursor}` })}\n`);
    write(1, 'the first');
    // Prints the entries after a cursor, and follows.
    const journalctl = `#!/bin/sh
for word; do case $word in --after-cursor=*) cursor=\${word#*=};; esac; done
from=$(grep -n "\\"\${cursor:-at-1}\\"}" '${entries}' | cut -d: -f1)
[ -n "$cursor" ] && from=$((from + 1))
exec tail --pid=$PPID -n "+$from" -F '${entries}'
`;
    writeFileSync(join(dir, 'journalctl'), journalctl, { mode: 0o755 });
    const PATH = `${dir}:${dirname(process.execPath)}:${process.env['PATH']}`;
    const settings = { ...enrolling, PATH, QUARTERDECK_AGENT_JOURNAL: 'all' };
    const sums = async () => {
      const { data, meta } = await api.admin.ledger.list();
      const sum = (of: 'read' | 'grouped') => data.reduce((all, row) => all + (row[of] ?? 0), 0);
      const skipped = data.reduce((all, { dropped }) => all + (dropped.skipped ?? 0), 0);
      return { read: sum('read'), grouped: sum('grouped'), skipped, complete: meta.complete };
    };

    const kill = start(settings);
    await expect.poll(sums).toMatchObject({ read: 1 });
    // Its cursor is cut away with the end of its text.
    write(2, 'x'.repeat(300 * 1024));
    await kill('SIGKILL');
    start(settings);
    write(3, 'the third');
    await expect.poll(sums).toEqual({ read: 2, grouped: 2, skipped: 1, complete: false });
    const { meta } = await api.admin.ledger.list();
    expect(meta.gaps).toMatchObject([{ stage: 'skipped', lines: 1 }]);
  });
});
