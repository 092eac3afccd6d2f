// Measures reads of error logs, of tokens, and the intake, on both databases side by side.
import { setTimeout as delay } from 'node:timers/promises';
import { call } from './api.ts';
import type { Side, Sides } from './databases.ts';
import { allDifferent, inTurn, sendBatches } from './intake.ts';
import { batches, groupText } from './lines.ts';
import { type Figures, type Load, medianOf, run, runInTurn } from './load.ts';
import { type Program, startBareExpress, startBarePg } from './processes.ts';
import { count, rows } from './report.ts';

const LIST = '/admin-api/log_server/errlog';
const ROUNDS = 3;
const SECONDS = 2;
const INTAKE_SECONDS = 8;
/** Concurrent senders: batches that arrive during a write go into the next one. */
const SENDERS = 64;
/** More bodies than are sent. */
const BODIES_MADE_BEFORE = 1_000;
const BETWEEN_LINES_MS = 100;

/** A read that is measured. */
interface Read {
  readonly name: string;
  /** Path of all requests, or a function that returns one for each. */
  readonly path: (side: Side) => Load['path'];
  /** Concurrent clients. One shows the wait of one person, not the capacity. */
  readonly connections: number;
  /** A line is stored now and then, which empties the caches. */
  readonly storing?: true;
  /** A statement for the same rows, of bare `pg`. */
  readonly bare?: (side: Side) => string;
}

const MANY = 16;

/** Searched texts, by the number of groups that contain them. */
const SEARCHES = [
  ['one group has', groupText(54_321).split(' ')[1] ?? ''],
  ['a sixteenth has', 'server: vega.example'],
  ['every group has', 'timed out (110: Connection'],
  ['from the middle of a word', 'onnection timed o'],
  ['no group has', 'segmentation fault'],
  ['two letters', 'zz'],
] as const;

const GROUPS = 'SELECT id, level, count, src, log_time, log FROM errlog';
const NEWEST = 'ORDER BY log_time DESC, id DESC LIMIT 20';
const TOKENS = 'SELECT t.*, u.username, u.role FROM api_token t JOIN "user" u ON u.id = t.user_id';

/** Pages of lists and single rows, with the same rows through bare `pg`. */
function pages(groups: number): Read[] {
  const page = Math.min(10_000, Math.floor(groups / 20));
  const bare = (where: string, offset = 0) => `${GROUPS} ${where} ${NEWEST} OFFSET ${offset}`;
  const list = (name: string, query: string, text: string): Read => ({
    name: `error log, ${name}`,
    path: () => LIST + query,
    connections: MANY,
    bare: () => text,
  });
  return [
    list('page 1', '', bare('')),
    list(`page ${page}`, `?page=${page}`, bare('', (page - 1) * 20)),
    list('level 4', '?level=4', bare('WHERE level = 4')),
    list('level 3 or worse', '?level_max=3', bare('WHERE level <= 3')),
    list('a source', '?src=7', bare('WHERE src = 7')),
    list('a source and a level', '?src=7&level=4', bare('WHERE src = 7 AND level = 4')),
    list('new ones', '?state=new', bare("WHERE state = 'new' AND state <> 'ongoing'")),
    list('by first occurrence', '?sort=first_seen', `${GROUPS} ORDER BY first_seen, id LIMIT 20`),
    {
      name: 'one group',
      path: () => `${LIST}/777`,
      connections: MANY,
      bare: () => 'SELECT * FROM errlog WHERE id = 777',
    },
    {
      name: 'API token get',
      path: ({ tokenId }) => `/admin-api/api_token/${tokenId}`,
      connections: MANY,
      bare: ({ tokenId }) => `${TOKENS} WHERE t.id = ${tokenId}`,
    },
    {
      name: 'API token list',
      path: () => '/admin-api/api_token',
      connections: MANY,
      bare: () => `${TOKENS} ORDER BY t.created_ms DESC, t.id DESC LIMIT 20`,
    },
  ];
}

/** Everything else that reads groups. */
function others(groups: number): Read[] {
  const week = Math.floor(Date.now() / 1000) - 7 * 86_400;
  const last = Math.floor((groups - 1) / 20) + 1;
  const read = (name: string, query: string, rest: Partial<Read> = {}): Read => ({
    name,
    path: () => LIST + query,
    connections: 1,
    ...rest,
  });
  const each = (name: string, paths: readonly string[]): Read => {
    let n = 0;
    const path = () => () => paths[n++ % paths.length] ?? '';
    return read(`${name}, each client another`, '', { path, connections: MANY });
  };
  const numbers = Array.from({ length: 1_000 }, (_, i) => i + 1);
  return [
    each(
      'one group',
      numbers.map((id) => `${LIST}/${id}`),
    ),
    each(
      'a source',
      numbers.map((src) => `${LIST}?src=${1 + (src % 19)}`),
    ),
    each(
      'error log, one of 1,000 pages',
      numbers.map((page) => `${LIST}?page=${page}`),
    ),
    read('error log, rolled up', '?rollup=1', { connections: MANY }),
    read('error log, by count, storing', '?sort=-count', { connections: 10, storing: true }),
    ...SEARCHES.map(([name, q]) => read(`search: ${name}`, `?q=${encodeURIComponent(q)}`)),
    read('histogram of 24 h', '/histogram?buckets=96'),
    read('facets', '/facets'),
    read('facets of a week, storing', `/facets?start_time=${week}`, { storing: true }),
    read('facets of a week and a level, storing', `/facets?start_time=${week}&level=4`, { storing: true }),
    read('histogram of an application, storing', '/histogram?app_id=3&buckets=96', { storing: true }),
    read('a week, page 1,000', `?start_time=${week}&page=1000`),
    read('open ones, last page', `?state=new,ongoing,regressed&page=${last}`),
    read('rolled up, last page', `?rollup=1&page=${last}`),
    read('facets of a search', `/facets?q=${encodeURIComponent('server: vega.example')}`),
  ];
}

/**
 * Measures reads on both databases. Beside pages runs the limit of each: bare Express that answers a constant body of
 * the same size, and plain `node:http` with the same rows from one prepared statement of `pg`.
 */
export async function benchReads({ sqlite, postgresql }: Sides, groups: number): Promise<void> {
  const sides = [sqlite, postgresql];
  const compared = pages(groups);
  const paths = compared.map((read) => String(read.path(sqlite)));
  const answers = await Promise.all(paths.map((path) => call(sqlite.server, path, sqlite)));
  const sizes = answers.map(({ text }) => Buffer.byteLength(text));
  const express = await startBareExpress(sizes);
  const texts = compared.map((read) => read.bare?.(postgresql) ?? '');
  const statements = Object.fromEntries(texts.map((text, at) => [`/${at}`, text]));
  const bare = await startBarePg(postgresql.url ?? '', statements);
  const { databaseCpuUs = () => 0 } = postgresql.server;
  const names = [...sides.map(({ name }) => name), 'bare pg', 'bare Express'];
  for (const [at, read] of compared.entries()) {
    const limits: Load[] = [
      { server: { ...bare, databaseCpuUs }, path: `/${at}`, connections: read.connections },
      { server: express, path: `/${sizes[at]}`, connections: read.connections },
    ];
    const figures = await runInTurn([...sides.map((side) => loadOf(side, read)), ...limits], ROUNDS, SECONDS);
    rows(read.name, named(names, figures), `${sizes[at]} bytes`);
  }
  await bare.stop();
  await express.stop();
  for (const read of others(groups)) {
    const figures: Figures[] = [];
    for (const side of sides) figures.push(await measure(side, read));
    rows(read.name, named(names, figures));
  }
}

const loadOf = (side: Side, { path, connections }: Read): Load => ({
  server: side.server,
  path: path(side),
  headers: side.headers,
  connections,
});

const named = (names: readonly string[], figures: readonly Figures[]) =>
  figures.map((one, at) => ({ name: names[at] ?? '', figures: one }));

async function measure(side: Side, read: Read): Promise<Figures> {
  const load = loadOf(side, read);
  const runs = async () => {
    const figures: Figures[] = [];
    for (let round = 0; round < ROUNDS; round += 1) figures.push(await run(load, 1));
    return medianOf(figures);
  };
  if (read.storing === undefined) return runs();
  const isOver = new AbortController();
  const stored = storeNowAndThen(side, isOver.signal);
  const figures = await runs();
  isOver.abort();
  await stored;
  return figures;
}

/** Stores a line at intervals. */
async function storeNowAndThen({ server, headers }: Side, isOver: AbortSignal): Promise<void> {
  const body = JSON.stringify([{ level: 4, log: 'now and then' }]);
  while (!isOver.aborted) {
    await call(server, LIST, { method: 'POST', headers, body });
    await delay(BETWEEN_LINES_MS);
  }
}

const INTAKES = [
  ['intake, 2,000 groups, 8 senders', () => inTurn(batches(40, 2_000, 2_000)), 8],
  ['intake, 2,000 groups', () => inTurn(batches(40, 2_000, 2_000)), SENDERS],
  ['intake, 50,000 groups', () => inTurn(batches(40, 50_000, 50_000)), SENDERS],
  ['intake, all different', () => allDifferent(5_000_000, BODIES_MADE_BEFORE), SENDERS],
] as const;

const IDLE_SHARE = 0.05;
const IDLE_LOOK_MS = 1_000;
const IDLE_LOOKS_MAX = 120;

/** Waits until servers and databases have packed and indexed what came before: they share the processors. */
async function untilIdle(programs: readonly Program[]): Promise<void> {
  const usedUs = () => programs.reduce((sum, { cpuUs, databaseCpuUs }) => sum + cpuUs() + (databaseCpuUs?.() ?? 0), 0);
  for (let looks = 0; looks < IDLE_LOOKS_MAX; looks += 1) {
    const beforeUs = usedUs();
    await delay(IDLE_LOOK_MS);
    if (usedUs() - beforeUs < IDLE_SHARE * IDLE_LOOK_MS * 1000) return;
  }
}

/** Sends batches of lines by HTTP while a client reads pages of the list. */
export async function benchIntake({ sqlite, postgresql }: Sides): Promise<void> {
  for (const [name, bodies, senders] of INTAKES) {
    const measured: { name: string; figures: Figures }[] = [];
    const notes: string[] = [];
    for (const side of [sqlite, postgresql]) {
      const { server, headers } = side;
      await untilIdle([sqlite.server, postgresql.server]);
      const [figures, reader] = await Promise.all([
        sendBatches(server, headers, bodies(), INTAKE_SECONDS, senders),
        run({ server, path: LIST, headers, connections: 1 }, INTAKE_SECONDS),
      ]);
      measured.push({ name: side.name, figures });
      const lines = `${count(figures.linesPerSecond)} durable lines/s`;
      notes.push(`${side.name} ${lines}, a reader's p99 ${Math.round(reader.p99Ms)} ms`);
    }
    rows(name, measured, notes.join('; '));
  }
}
