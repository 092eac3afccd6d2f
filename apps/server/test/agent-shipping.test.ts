// Log files go through the built agent to a real server while the agent is killed: every line counts once. The long
// run, with nginx and a killed server, is `pnpm faults agent-shipping`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startApi, type TestApi } from './start-api.ts';

const MAIN = fileURLToPath(new URL('../../agent/dist/main.js', import.meta.url));
const LINES = 400;

/** Number of times that the server has each line. */
async function numbers(api: TestApi): Promise<number[]> {
  const { data: groups } = await api.admin.errlog.list({ query: { page_size: 1000 } });
  const found: number[] = [];
  for (const { id } of groups) {
    const { data } = await api.admin.errlog.occurrences({ params: { id }, query: { page_size: 10_000 } });
    for (const { log } of data) found.push(Number(/line number (\d+)/.exec(log)?.[1]));
  }
  return found.sort((a, b) => a - b);
}

it('counts every line of files that are rotated once, whenever the agent is killed', async () => {
  await using api = await startApi({ AGENT_INTERVAL: '1' });
  const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-shipping-'));
  const path = (name: string) => join(dir, 'logs', name);
  mkdirSync(join(dir, 'logs'));
  const { token } = await api.admin.apiToken.create({ body: { name: 'enrolment' } });
  const env = {
    PATH: process.env['PATH'],
    QUARTERDECK_URL: api.url,
    QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
    QUARTERDECK_ENROLL_TOKEN: token,
    QUARTERDECK_AGENT_FILES: path('*.log'),
  };
  const start = () => spawn(process.execPath, [MAIN], { stdio: 'ignore', env });
  const kill = async (agent: ChildProcess) => {
    const gone = once(agent, 'exit');
    agent.kill('SIGKILL');
    await gone;
  };
  const stored = async () => (await numbers(api)).length;
  let written = 0;
  const write = (count: number) => {
    for (const end = written + count; written < end; written += 1) {
      const line = `line number ${written} of ${written % 2 === 0 ? 'this' : 'that'}`;
      appendFileSync(path('renamed.log'), `2026/11/20 09:00:00 [error] 1#1: ${line}\n`);
      written += 1;
      appendFileSync(path('truncated.log'), `{"level":50,"msg":"line number ${written}"}\n`);
    }
  };
  let agent = start();
  try {
    write(40);
    await expect.poll(stored, { timeout: 60_000 }).toBeGreaterThan(0);
    for (let round = 1; round <= 4; round += 1) {
      write(40);
      if (round % 2 === 0) await expect.poll(stored, { timeout: 60_000 }).toBe(written);
      write(20);
      await kill(agent);
      write(20);
      renameSync(path('renamed.log'), path(`renamed.log.${10 - round}`));
      copyFileSync(path('truncated.log'), path(`truncated.log.${10 - round}`));
      truncateSync(path('truncated.log'));
      write(10);
      agent = start();
    }
    expect(written).toBe(LINES);
    await expect.poll(stored, { timeout: 60_000 }).toBe(LINES);
    expect(await numbers(api)).toEqual(Array.from({ length: LINES }, (_, n) => n));
    const [reported] = await api.admin.agent.list();
    expect(reported?.online).toBe(true);
  } finally {
    await kill(agent);
    rmSync(dir, { recursive: true, force: true });
  }
}, 300_000);
