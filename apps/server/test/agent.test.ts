// The built agent, as a process of its own, reports to a real server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startApi, type TestApi } from './start-api.ts';

const MAIN = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));

function startAgent(api: TestApi, dir: string, token: string | undefined) {
  const child = spawn(process.execPath, [MAIN], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      QUARTERDECK_URL: api.url,
      QUARTERDECK_AGENT_DIR: dir,
      ...(token === undefined ? {} : { QUARTERDECK_ENROLL_TOKEN: token }),
    },
  });
  return {
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

const only = async (api: TestApi) => {
  const agents = await api.admin.agent.list();
  return agents.length === 1 ? agents[0] : undefined;
};

describe('the agent', () => {
  it('enrols, reports this host, says goodbye, and comes back as itself', async () => {
    await using api = await startApi({ AGENT_INTERVAL: '1' });
    const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-agent-'));
    try {
      const { token } = await api.admin.apiToken.create({ body: { name: 'enrolment' } });
      const first = startAgent(api, dir, token);
      await expect.poll(async () => (await only(api))?.online, { timeout: 15_000 }).toBe(true);
      const agent = await only(api);
      expect(agent).toMatchObject({ hostname: hostname(), online: true, is_deleted: false });
      expect(agent?.system_version.kernel).toBe(release());
      expect(agent?.progress).toEqual({ current: 0, detail: '' });

      expect(await first.stop()).toBe(0);
      expect((await only(api))?.online).toBe(false);

      // Its own secret is enough now.
      const second = startAgent(api, dir, undefined);
      await expect.poll(async () => (await only(api))?.online, { timeout: 15_000 }).toBe(true);
      expect((await only(api))?.id).toBe(agent?.id);
      await second.stop();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
