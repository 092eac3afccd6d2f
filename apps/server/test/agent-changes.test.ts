// The built agent watches a configuration tree, is killed, and reports to a real server what changed meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startApi } from './start-api.ts';

const MAIN = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));

it('reports what changed while the agent was killed, with masked lines, and once', { timeout: 90_000 }, async () => {
  await using api = await startApi({ AGENT_INTERVAL: '1' });
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-agent-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const tree = join(dir, 'nginx');
  mkdirSync(tree);
  const path = join(tree, 'nginx.conf');
  writeFileSync(path, 'listen 80;\npassword one;\n');
  const { token } = await api.admin.apiToken.create({ body: { name: 'enrolment' } });

  function startAgent() {
    const child = spawn(process.execPath, [MAIN], {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        QUARTERDECK_URL: api.url,
        QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
        QUARTERDECK_AGENT_WATCH: 'config',
        QUARTERDECK_AGENT_CONFIG_TREES: tree,
        QUARTERDECK_AGENT_CONFIG_DIFF: 'on',
        QUARTERDECK_ENROLL_TOKEN: token,
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return async (signal: NodeJS.Signals) => {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    };
  }

  const changes = async () => {
    const [agent] = await api.admin.agent.list();
    if (agent === undefined) return [];
    const { data } = await api.admin.agent.events({ params: { id: agent.id }, query: { kind: 'config' } });
    return data.map((entry) => ({ ...entry, agent: agent.id }));
  };

  const kill = startAgent();
  await expect.poll(() => existsSync(join(dir, 'agent/watch/config.json')), { timeout: 30_000 }).toBe(true);
  await expect.poll(async () => (await api.admin.agent.list()).length, { timeout: 30_000 }).toBe(1);
  await kill('SIGKILL');
  writeFileSync(path, 'listen 81;\npassword two;\n');
  const beforeS = Date.now() / 1000;

  const stop = startAgent();
  await expect.poll(async () => (await changes()).length, { timeout: 30_000 }).toBe(1);
  await stop('SIGTERM');
  const [entry] = await changes();
  expect(entry).toMatchObject({ field: path, has_diff: true });
  // The time of the change, not of the report.
  expect(entry?.time).toBeLessThan(beforeS + 1);
  const { diff } = await api.admin.agent.diff({ params: { id: entry?.agent ?? 0, event: entry?.id ?? 0 } });
  expect(diff).toBe('@@ -1,2 +1,2 @@\n-listen 80;\n-password [masked];\n+listen 81;\n+password [masked];');
});
