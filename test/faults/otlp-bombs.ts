// `pnpm faults otlp-bombs [--database sqlite|postgresql] [--only TEXT]`: sends small bodies that are expensive to
// parse to the built server, once and eight times at once, while other clients send small requests. These wait 100 ms
// at most, no answer is a 5xx other than 503, and the memory returns to within 100 MB. See README.md beside this
// file.
import { setTimeout as delay } from 'node:timers/promises';
import { type Attacked, attackEach, attackOptions, watch } from './attacked-server.ts';
import { type Bomb, makeBombs } from './bombs.ts';
import { ask } from './honest-clients.ts';

const options = attackOptions('otlp-bombs');
const MEMORY_MAX_MB = 100;
const AT_ONCE = 8;
const PATIENCE_MS = 300_000;
/** Maximum time for the memory to return. */
const SETTLE_MS = 15_000;

const send = async ({ server: { url }, session }: Attacked, { path, headers, body }: Bomb) => {
  const asked = { url, path, headers: { 'edge-token': session, ...headers }, body, patienceMs: PATIENCE_MS };
  return String((await ask(asked)).outcome);
};

const countEach = (values: readonly string[]): string =>
  [...new Set(values)].map((value) => `${values.filter((one) => one === value).length} x ${value}`).join(' ');

const isWrong = (status: string) => !/^[24]\d\d$|^503$/.test(status);

async function throwBomb(attacked: Attacked, bomb: Bomb): Promise<void> {
  const { memory } = attacked.server;
  for (const times of [1, AT_ONCE]) {
    const title = `${bomb.name}, ${times} at once`;
    const waits = await watch(attacked, title);
    const before = memory.resident();
    const startedMs = performance.now();
    const statuses = await Promise.all(Array.from({ length: times }, () => send(attacked, bomb)));
    const tookMs = Math.round(performance.now() - startedMs);
    // The server still works on what it has read.
    await delay(300);
    const others = await waits();
    console.log(`${title}: ${countEach(statuses)} in ${tookMs} ms; memory ${before} -> ${memory.peak()} MB`);
    console.log(`    ${others}`);
    if (statuses.some(isWrong)) attacked.wrong(`${title}: ${countEach(statuses)}`);
  }
}

const bombs = makeBombs().filter(({ name }) => name.includes(options.only));

async function attack(attacked: Attacked): Promise<void> {
  const { memory } = attacked.server;
  const before = memory.resident();
  for (const bomb of bombs) await throwBomb(attacked, bomb);
  await attacked.clients.stop();
  const untilMs = performance.now() + SETTLE_MS;
  let after = memory.resident();
  for (; after > before + MEMORY_MAX_MB && performance.now() < untilMs; after = memory.resident()) await delay(500);
  console.log(`memory ${before} MB before, ${after} MB after`);
  if (after > before + MEMORY_MAX_MB) attacked.wrong(`memory grew from ${before} to ${after} MB`);
}

await attackEach(options, attack, 'no client waited more than 100 ms, and the memory returned');
