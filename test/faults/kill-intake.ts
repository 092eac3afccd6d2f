// `pnpm faults kill-intake [--rounds 60] [--postgres]`: kills the built server while it
// takes in lines, repeatedly on the same data. No acknowledged line is lost, no batch is stored in part, and a batch
// with an Idempotency-Key that is sent again counts once. See README.md beside this file.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../packages/sdk/src/index.ts';
import { asAdmin, newPlace, sameAddress, startServer } from './built-server.ts';
import { ask, ERRLOG, newText } from './honest-clients.ts';
import { conclude, readOptions } from './script.ts';

const options = readOptions('kill-intake', { rounds: 60, postgres: false });
const SENDERS = 8;
const GROUPS_PER_SENDER = 3;
const LINES_MAX = 60;
/** Maximum time from the first line to a kill. */
const KILL_WITHIN_MS = 500;

/** A batch: the number of occurrences of each group of its sender. */
interface Batch {
  readonly key: string | undefined;
  readonly lines: readonly object[];
  readonly counts: readonly number[];
}

/** A sender of one batch after the other, and the known results. */
interface Sender {
  readonly keyed: boolean;
  readonly appId: number;
  /** One text per group. */
  readonly texts: readonly string[];
  acknowledged: readonly number[];
  batches: number;
  /** Sent without an answer. */
  open: Batch | undefined;
}

const sum = (counts: readonly { readonly count: number }[]) => counts.reduce((all, { count }) => all + count, 0);

const senders = Array.from({ length: SENDERS }, (_, i): Sender => {
  const texts = Array.from({ length: GROUPS_PER_SENDER }, newText);
  return { keyed: i % 2 === 1, appId: 100 + i, texts, acknowledged: texts.map(() => 0), batches: 0, open: undefined };
});
/** Batches without an answer: repeated by key, found stored, found lost. */
const found = { again: 0, there: 0, lost: 0 };
const wrong: string[] = [];

function newBatch({ keyed, appId, texts }: Sender): Batch {
  const counts = texts.map(() => 0);
  const lines = Array.from({ length: 1 + randomInt(LINES_MAX) }, () => {
    const [group, count] = [randomInt(GROUPS_PER_SENDER), 1 + randomInt(3)];
    counts[group] = (counts[group] ?? 0) + count;
    return { level: 4, app_id: appId, log: `${texts[group]} after ${randomInt(1e6)} ms`, count };
  });
  return { key: keyed ? randomUUID() : undefined, lines, counts };
}

const withOpen = ({ acknowledged, open }: Sender) => acknowledged.map((n, group) => n + (open?.counts[group] ?? 0));

function acknowledge(sender: Sender): void {
  sender.acknowledged = withOpen(sender);
  sender.batches += 1;
  sender.open = undefined;
}

await using place = await newPlace(options.postgres);
const startedMs = performance.now();
let server = await startServer(place);
const { url } = server;
const { token: apiToken } = await (await asAdmin(server)).client.apiToken.create({ body: { name: 'kill-intake' } });
const client = createClient({ url, apiToken });

const post = ({ key, lines }: Batch) => {
  const headers = { 'API-Token': apiToken, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  return ask({ url, path: ERRLOG, headers, body: lines, patienceMs: 30_000 });
};

/** Sends until the server is gone. */
async function sendUntilGone(sender: Sender): Promise<void> {
  for (;;) {
    sender.open = newBatch(sender);
    const { outcome, text } = await post(sender.open);
    // A refusal is not the fault under test.
    if (typeof outcome === 'number' && outcome !== 200) wrong.push(`sender ${sender.appId}: ${outcome} ${text}`);
    if (outcome !== 200) return;
    acknowledge(sender);
  }
}

/** Compares the stored lines of a sender with what it knows. */
async function check(sender: Sender, round: number): Promise<void> {
  const { keyed, appId, texts } = sender;
  if (keyed && sender.open !== undefined) {
    const { outcome, text } = await post(sender.open);
    if (outcome !== 200) throw new Error(`a batch that was sent again: ${outcome} ${text}`);
    acknowledge(sender);
    found.again += 1;
  }
  const { data } = await client.errlog.list({ query: { app_id: appId, page_size: 100 } });
  const stored = texts.map((text) => sum(data.filter(({ log }) => log.startsWith(text))));
  if (stored.join() === sender.acknowledged.join()) {
    if (sender.open !== undefined) found.lost += 1;
  } else if (sender.open !== undefined && stored.join() === withOpen(sender).join()) {
    acknowledge(sender);
    found.there += 1;
  } else {
    const known = `acknowledged ${sender.acknowledged.join(' ')}, or ${withOpen(sender).join(' ')}`;
    wrong.push(`round ${round}, sender ${appId}, keys ${keyed}: stored ${stored.join(' ')}, ${known}`);
    // Each loss is reported once.
    sender.acknowledged = stored;
  }
  sender.open = undefined;
}

/** Checks what is stored beside the counts: the occurrences, and the histogram of the day. */
async function checkKept(): Promise<void> {
  const inHistogram = sum((await client.errlog.histogram({ query: {} })).buckets);
  const { data } = await client.errlog.list({ query: { page_size: 1000 } });
  if (inHistogram !== sum(data)) wrong.push(`the histogram holds ${inHistogram}, the list ${sum(data)}`);
  for (const { id, count } of data) {
    let happened = 0;
    for (let page = 1, last = 1; last > 0; page += 1) {
      const query = { page, page_size: 10_000 };
      last = sum((await client.errlog.occurrences({ params: { id }, query })).data);
      happened += last;
    }
    if (happened !== count) wrong.push(`group ${id} counts ${count}, its occurrences ${happened}`);
  }
}

for (let round = 1; round <= options.rounds; round += 1) {
  const sending = senders.map(sendUntilGone);
  await delay(20 + randomInt(KILL_WITHIN_MS));
  await server.end('SIGKILL');
  await Promise.all(sending);
  server = await startServer(place, sameAddress(server));
  // PostgreSQL may still execute a statement of the killed server. This waits for it.
  await client.errlog.append({ body: { level: 8, log: 'checking' } });
  for (const sender of senders) await check(sender, round);
}
await checkKept();
await server.end('SIGKILL');
const batches = senders.reduce((all, sender) => all + sender.batches, 0);
console.log(
  `${options.rounds} kills in ${Math.round((performance.now() - startedMs) / 1000)} s, ${batches} batches stored`,
);
console.log(
  `without an answer: ${found.again} sent again by their key, ${found.there} found whole, ${found.lost} not there`,
);
conclude(wrong, 'nothing acknowledged was lost, and every count is exact');
