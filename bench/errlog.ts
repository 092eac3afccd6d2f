// Measures reads of error logs beyond plain pages of the list, and the intake.
import { setTimeout as delay } from 'node:timers/promises';
import { call } from './api.ts';
import { allDifferent, inTurn, sendBatches } from './intake.ts';
import { batches, groupText } from './lines.ts';
import { type Load, run, runPaired } from './load.ts';
import type { Program } from './processes.ts';
import { count, row } from './report.ts';

const LIST = '/admin-api/log_server/errlog';
const ROUNDS = 3;
const SECONDS = 3;
const INTAKE_SECONDS = 8;
/** Concurrent senders: batches that arrive during a write go into the next one. */
const SENDERS = 64;
/** More bodies than are sent. */
const BODIES_MADE_BEFORE = 1_000;

/** Searched texts, by the number of groups that contain them. */
const SEARCHES = [
  ['one group has', groupText(54_321).split(' ')[1] ?? ''],
  ['a sixteenth has', 'server: vega.example'],
  ['every group has', 'timed out (110: Connection'],
  ['from the middle of a word', 'onnection timed o'],
  ['no group has', 'segmentation fault'],
  ['two letters', 'zz'],
] as const;

/** Measures filters, orders, search, facets and histogram of a server that `seed` has filled. */
export async function benchReads(server: Program, headers: Record<string, string>): Promise<void> {
  const ask = (query: string): Load => ({ server, path: LIST + query, headers });
  // A write empties the caches.
  const whileStoring = async (name: string, load: Load) => {
    const isOver = new AbortController();
    const stored = storeNowAndThen(server, headers, isOver.signal);
    row(`${name}, storing`, await run(load, SECONDS));
    isOver.abort();
    await stored;
  };
  for (const [name, query] of [
    ['a source', '?src=7'],
    ['a source and a level', '?src=7&level=4'],
    ['new ones', '?state=new'],
    ['rolled up', '?rollup=1'],
  ] as const) {
    const [figures, pageOne] = await runPaired(ask(query), ask(''), ROUNDS, SECONDS);
    row(`error log, ${name}`, figures, `${(pageOne.perSecond / figures.perSecond).toFixed(2)} x the time of page 1`);
  }
  await whileStoring('error log, by count', { ...ask('?sort=-count'), connections: 10 });
  // One at a time: the figure is the wait of one person, not the capacity.
  const alone = (query: string) => run({ ...ask(query), connections: 1 }, SECONDS);
  for (const [name, q] of SEARCHES) row(`search: ${name}`, await alone(`?q=${encodeURIComponent(q)}`));
  row('histogram of 24 h', await alone('/histogram?buckets=96'));
  row('facets', await alone('/facets'));
  const week = Math.floor(Date.now() / 1000) - 7 * 86_400;
  const aloneWhileStoring = (name: string, query: string) => whileStoring(name, { ...ask(query), connections: 1 });
  await aloneWhileStoring('facets of a week', `/facets?start_time=${week}`);
  await aloneWhileStoring('facets of a week and a level', `/facets?start_time=${week}&level=4`);
  await aloneWhileStoring('histogram of an application', '/histogram?app_id=3&buckets=96');
  row('a week, page 1,000', await alone(`?start_time=${week}&page=1000`));
  const { meta } = (await call(server, `${LIST}?page_size=0`, { headers })).data as { meta: { count: number } };
  const last = Math.floor((meta.count - 1) / 20) + 1;
  row('open ones, last page', await alone(`?state=new,ongoing,regressed&page=${last}`));
  row('rolled up, last page', await alone(`?rollup=1&page=${last}`));
  row('facets of a search', await alone(`/facets?q=${encodeURIComponent('server: vega.example')}`));
}

const BETWEEN_LINES_MS = 100;

/** Stores a line at intervals. */
async function storeNowAndThen(server: Program, headers: Record<string, string>, isOver: AbortSignal): Promise<void> {
  const body = JSON.stringify([{ level: 4, log: 'now and then' }]);
  while (!isOver.aborted) {
    await call(server, LIST, { method: 'POST', headers, body });
    await delay(BETWEEN_LINES_MS);
  }
}

/** Sends batches of lines by HTTP while a client reads pages of the list. */
export async function benchIntake(server: Program, headers: Record<string, string>): Promise<void> {
  for (const [name, bodies, senders] of [
    ['intake, 2,000 groups, 8 senders', inTurn(batches(40, 2_000, 2_000)), 8],
    ['intake, 2,000 groups', inTurn(batches(40, 2_000, 2_000)), SENDERS],
    ['intake, 50,000 groups', inTurn(batches(40, 50_000, 50_000)), SENDERS],
    ['intake, all different', allDifferent(5_000_000, BODIES_MADE_BEFORE), SENDERS],
  ] as const) {
    const [figures, reader] = await Promise.all([
      sendBatches(server, headers, bodies, INTAKE_SECONDS, senders),
      run({ server, path: LIST, headers, connections: 1 }, INTAKE_SECONDS),
    ]);
    const note = `${count(figures.linesPerSecond)} durable lines/s; the reader: p99 ${Math.round(reader.p99Ms)} ms`;
    row(name, figures, note);
  }
}
