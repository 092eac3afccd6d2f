// `pnpm faults several-servers [--rounds 6] [--broken]`: kills one of two servers behind haproxy and starts it again,
// under load. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { readOptions } from '../script.ts';
import { CONNECTIONS, withClients } from './behind-proxy.ts';
import type { ClientFailure } from './clients.ts';

const { rounds } = readOptions('several-servers', { rounds: 6 });
/** Time under load before each kill. */
const BEFORE_MS = 2_000;
/** Time for which the server is away. */
const AWAY_MS = 2_000;

const problems: string[] = [];
const failed: number[] = [];
const lost = await withClients({}, async ({ servers, clients, restartUntilAsked }) => {
  for (let round = 1; round <= rounds; round += 1) {
    const index = (round % 2) as 0 | 1;
    await delay(BEFORE_MS);
    const known = clients.failures.length;
    await servers[index].end('SIGKILL');
    const goneMs = performance.now();
    await delay(AWAY_MS);
    const usedMs = (await restartUntilAsked(index)).toFixed(0);
    const seen = clients.failures.slice(known);
    failed.push(seen.length);
    problems.push(...wrongFailures(seen, goneMs).map((text) => `round ${round}: ${text}`));
    console.log(`round ${round}: ${seen.length} failed requests; the server is used ${usedMs} ms after its start`);
  }
  if (clients.failures.length > failed.reduce((sum, n) => sum + n, 0)) problems.push('requests failed before a kill');
});
problems.push(...lost);
for (const problem of problems) console.log(`  NOT KEPT  ${problem}`);
console.log(
  `${rounds} kills of ${CONNECTIONS} connections: ${failed.join(', ')} failed requests, ` +
    (problems.length === 0
      ? 'one of a connection at most; nothing acknowledged was lost'
      : `${problems.length} problems`),
);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Failures that are more than one of a connection, or of a request that was sent after the server had gone. */
function wrongFailures(seen: readonly ClientFailure[], goneMs: number): string[] {
  const each = Map.groupBy(seen, ({ port }) => port);
  const several = [...each.values()].filter(({ length }) => length > 1);
  const late = seen.filter(({ sentMs }) => sentMs > goneMs);
  const words = ({ client, outcome }: ClientFailure) => `${client}: ${outcome}`;
  return [
    ...several.map((failures) => `several of a connection: ${failures.map(words).join(', ')}`),
    ...late.map((failure) => `after the server had gone: ${words(failure)}`),
  ];
}
