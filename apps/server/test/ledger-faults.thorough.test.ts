// Kills the built server and the built agent at random moments while lines are shipped: the ledger is exact after each
// kill of the server, and agrees with what was written at the end. QUARTERDECK_TEST_FAULTS sets the number of kills.
import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@quarterdeck/sdk';
import { afterAll, expect, it } from 'vitest';
import { readSqlite } from '../../../packages/core/test/sqlite-rows.ts';
import { newServer, newToken, Program } from '../../../test/faults/shipping-world.ts';
import { newFolder } from '../../../test/new-folder.ts';
import { FAULTS } from '../../../test/thoroughness.ts';
import { programEnvironment } from './program-environment.ts';

const programFile = (app: string) => fileURLToPath(new URL(`../../${app}/dist/main.js`, import.meta.url));

const dir = newFolder();
const programs: Program[] = [];
afterAll(() => {
  // After a failure they still run.
  for (const { pid } of programs) if (pid !== undefined) process.kill(pid, 'SIGKILL');
});
const dataDir = join(dir, 'data');
const spoolDir = join(dir, 'agent', 'spool');
const logs = join(dir, 'logs');
for (const folder of [dataDir, logs]) mkdirSync(folder);

/** Sums of the ledger, of groups and of lines, all from one snapshot. */
const snapshot = () =>
  readSqlite(join(dataDir, 'quarterdeck.db'), ({ pairs, number }) => {
    const ledger = (of: string) =>
      pairs(`SELECT l.stage, sum(l.n) FROM ledger l JOIN source s ON s.id = l.src WHERE ${of} GROUP BY l.stage`);
    const KEPT = "stage IN ('grouped', 'flood')";
    return {
      agent: ledger('s.agent_id > 0'),
      sender: ledger("s.agent_id = 0 AND s.name = 'shipping'"),
      bySource: pairs(`SELECT src, sum(n) FROM ledger WHERE ${KEPT} GROUP BY src ORDER BY src`),
      groups: pairs('SELECT src, sum(count) FROM errlog GROUP BY src ORDER BY src'),
      rates: pairs('SELECT src, sum(n) FROM errlog_rate WHERE src >= 0 GROUP BY src ORDER BY src'),
      kept: number(`SELECT sum(n) FROM ledger WHERE ${KEPT}`),
      lines: number('SELECT sum(n) FROM errlog_segment'),
      numbered: number('SELECT sum(read) FROM ledger_batch'),
    };
  });

/** Compares the sums of a snapshot. The agent has one spool, and sends nothing without a number. */
function expectExact({ agent, bySource, groups, rates, kept, lines, numbered }: ReturnType<typeof snapshot>): void {
  expect(groups).toEqual(bySource);
  expect(rates).toEqual(bySource);
  expect(lines).toBe(kept);
  const { read = 0, sent = 0, missing = 0, grouped = 0, flood = 0, refused = 0, ...others } = agent;
  expect(others).toEqual({});
  expect(read).toBe(numbered ?? 0);
  expect(read).toBe(sent + missing);
  expect(sent).toBe(grouped + flood + refused);
}

/** Faults after which the agent is left alone until all lines have arrived. */
const FAULTS_PER_ROUND = 25;

let written = 0;
let rotations = 0;
function write(): void {
  const path = join(logs, 'a.log');
  const lines = Array.from({ length: randomInt(1, 120) }, (_, i) => `line number ${written + i} of the file\n`);
  appendFileSync(path, lines.join(''));
  written += lines.length;
  if (randomInt(30) > 0) return;
  rotations += 1;
  renameSync(path, `${path}.${1_000_000 - rotations}`);
}

/** Waits until the ledger has counted all lines. */
async function allArrived(): Promise<void> {
  const arrived = () => snapshot().agent['read'] ?? 0;
  await expect.poll(arrived, { timeout: 120_000, interval: 500 }).toBe(written);
}

/** Lines of the damaged batches. A batch may be chosen again before the agent has found the damage. */
const damaged = new Map<string, number>();

/** Damages a batch that waits. The oldest may have arrived already, and the lines of the newest would be read again. */
function damage(): void {
  const waiting = readdirSync(spoolDir)
    .filter((name) => name.endsWith('.batch'))
    .sort()
    .slice(1, -1);
  const name = waiting[randomInt(Math.max(1, waiting.length))];
  if (name === undefined) return;
  const content = readFileSync(join(spoolDir, name));
  const head = content.indexOf('\n');
  const { lines } = JSON.parse(content.toString('utf8', 0, head)) as { lines: number };
  damaged.set(name, lines);
  writeFileSync(join(spoolDir, name), content.fill(0, head + 1));
}

it(
  `is exact after ${FAULTS} kills of the server or the agent`,
  async () => {
    const { url, program: server } = await newServer(programFile('server'), dataDir);
    await server.start();
    const token = await newToken(url);
    const env = {
      ...programEnvironment(),
      QUARTERDECK_URL: url,
      QUARTERDECK_ENROLL_TOKEN: token,
      QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
      QUARTERDECK_AGENT_FILES: join(logs, '*.log'),
    };
    const agent = new Program(() => spawn(process.execPath, [programFile('agent')], { stdio: 'ignore', env }));
    programs.push(server, agent);
    await agent.start();
    // Files that were rotated away before their first poll are not shipped.
    await expect
      .poll(() => existsSync(spoolDir) && readdirSync(spoolDir).length, { timeout: 60_000 })
      .toBeGreaterThan(0);

    const sent = { stored: 0, refused: 0 };
    let isSending = true;
    async function sendBatches(): Promise<void> {
      while (isSending) {
        const lines = Array.from({ length: randomInt(1, 40) }, () => ({ level: 4, log: `batch line ${randomUUID()}` }));
        const body = JSON.stringify([...lines, { level: 'none' }]);
        const headers = { 'API-Token': token, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
        for (let isStored = false; !isStored; ) {
          isStored = await fetch(`${url}/admin-api/log_server/errlog`, { method: 'POST', headers, body }).then(
            ({ ok }) => ok,
            () => false,
          );
          if (!isStored) await delay(20);
        }
        sent.stored += lines.length;
        sent.refused += 1;
        await delay(randomInt(30));
      }
    }
    const traffic = sendBatches();
    for (let fault = 0; fault < FAULTS; fault += 1) {
      // On a busy machine an agent may be killed before it has started, often enough to fall behind for good.
      if (fault > 0 && fault % FAULTS_PER_ROUND === 0) await allArrived();
      for (let i = randomInt(6); i > 0; i -= 1) write();
      await delay(randomInt(1_200));
      if (randomInt(3) > 0) {
        await agent.kill();
        if (randomInt(4) === 0) damage();
        await agent.start();
        continue;
      }
      await server.kill();
      expectExact(snapshot());
      await server.start();
    }
    isSending = false;
    await traffic;
    await allArrived();
    const page = await createClient({ url, apiToken: token }).ledger.list();
    await Promise.all([agent.end('SIGTERM'), server.end('SIGTERM')]);
    const sum = (counts: readonly (number | null)[]) => counts.reduce((all: number, n) => all + (n ?? 0), 0);
    const end = snapshot();
    expectExact(end);
    const missing = sum([...damaged.values()]);
    expect(end.agent['missing'] ?? 0).toBe(missing);
    expect(end.agent).toMatchObject({ read: written, sent: written - missing });
    expect(end.sender).toEqual({ grouped: sent.stored, refused: sent.refused });
    expect(sum(page.data.map(({ read }) => read))).toBe(written);
    expect(sum(page.data.map(({ stored }) => stored))).toBe(end.kept);
  },
  FAULTS * 20_000 + 240_000,
);
