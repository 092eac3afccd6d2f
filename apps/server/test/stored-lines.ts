// Random stored lines, in segments of both kinds, and queries over them; a plain array is the model.
import { type Filter, LEVELS, negate } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { parseFilter } from '@quarterdeck/core/filter';
import fc from 'fast-check';
import type { Line, LineQuery } from '../../../packages/store/src/lines/line-reads.ts';
import { encodeSegment, type SegmentGroup, type SegmentKind } from '../../../packages/store/src/segments/segment.ts';
import { allFields, unreadableFields } from '../../../packages/store/src/tables/occurrence-fields.ts';
import { removeFilters } from '../../../packages/store/src/tables/segment-filters.ts';
import { insertSegment } from '../../../packages/store/src/tables/segment-rows.ts';

/** Time of the reads, Unix seconds. */
export const NOW_S = 1_800_000_000;

const HOSTS = ['web1', 'Web2', 'db', 'web1'];
const SERVICES = ['', 'nginx', 'cron'];
const STATES = ['new', 'ongoing', 'muted'];

const SOURCE = statement(
  "INSERT INTO source (id, node_type, node_id, name, address, created_ms) VALUES (?, ?, ?, ?, '', 1)",
);
const GROUP = statement(
  `INSERT INTO errlog (id, src, node_type, app_id, level, fingerprint, log, count, first_seen, log_time, state)
   VALUES (?, ?, 0, 0, 1, ?, '', 1, 1, 1, ?)`,
);
const CLEAR = statement('DELETE FROM errlog_segment');

const NO_LINE = { level: 0, logTime: 0, appId: 0, reqId: '', count: 1 };

/** A source by its number, from 0 on. */
const sourceOf = (i: number) => ({ id: 101 + i, nodeType: i % 3, nodeId: i === 0 ? -1 : i, name: HOSTS[i] ?? '' });

const GROUPS: readonly (SegmentGroup & { readonly state: string })[] = Array.from({ length: 9 }, (_, i) => ({
  id: 40 + i,
  level: (i * 2) % LEVELS.length,
  src: sourceOf(i % HOSTS.length).id,
  appId: i % 2,
  service: SERVICES[i % SERVICES.length] ?? '',
  state: STATES[i % STATES.length] ?? '',
}));

export const SOME_GROUP = GROUPS[0] as (typeof GROUPS)[number];

/** A line of the model: a line on the wire, and what filters and parameters ask for beside it. */
export interface ModelLine extends Line {
  readonly state: string;
  readonly node: { readonly type: number; readonly id: number };
}

/** Adds the sources and groups. The last group has no row any more. */
export async function addGroups(db: Database): Promise<void> {
  await db.write(async ({ sql }) => {
    for (const i of HOSTS.keys()) {
      const { id, nodeType, nodeId, name } = sourceOf(i);
      // Two sources have the same name.
      await sql.run(SOURCE, id, nodeType, nodeId, name);
    }
    for (const { id, src, state } of GROUPS.slice(0, -1)) await sql.run(GROUP, id, src, `f${id}`, state);
  });
}

const text = fc.oneof(
  fc.nat(12).map((n) => `upstream ${n} timed out`),
  fc
    .tuple(fc.nat(3), fc.constantFrom('GET / HTTP/1.1', 'GET /", host: "forged', 'é', ' ', ''), fc.nat(2))
    .map(([a, b, c]) => `x "y" failed, client: 10.0.0.${a}, server: s${c}, request: "${b}", host: "h${c}", pid: ${c}`),
  fc.constantFrom('plain', 'ÀÉ Timed', 'a\nb, client: 10.0.0.1', 'odd " quote, client: 10.0.0.2, host: "h1"'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).map((part) => part.replaceAll('\0', '0')),
);
const fields = fc.dictionary(
  fc.constantFrom('pid', 'x', '__proto__', 'host', 'client'),
  fc.constantFrom('1', 'a', 'B', '10.0.0.3'),
);

const line = fc.record({
  group: fc.constantFrom(...GROUPS),
  gap: fc.constantFrom(0, 0, 0, 1, 5),
  // Some lines are late, some are ahead of their time.
  late: fc.constantFrom(0, 0, 0, 0, 1, 50, 5_000, -3_000),
  count: fc.constantFrom(1, 1, 1, 7),
  reqId: fc.constantFrom('', '', 'r1', 'R2'),
  log: text,
  fields: fc.option(fields, { nil: undefined }),
});

/** Batches of lines, each with the way in which it is stored. */
export const batches = fc.array(
  fc.record({
    kind: fc.constantFrom<SegmentKind>('fresh', 'packed'),
    lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  }),
  { maxLength: 8 },
);

/** A line that a test stores. */
export interface GivenLine {
  readonly group: (typeof GROUPS)[number];
  /** Number of ids before it that no line has. */
  readonly gap: number;
  /** Seconds by which its time is before that of its arrival. */
  readonly late: number;
  readonly count: number;
  readonly reqId: string;
  readonly log: string;
  readonly fields: Record<string, string> | undefined;
}

/** Stores lines behind those of the model, and adds them to it. */
export async function storeLines(
  db: Database,
  list: readonly { readonly kind: SegmentKind; readonly lines: readonly GivenLine[] }[],
  model: ModelLine[],
): Promise<void> {
  let id = Number(model.at(-1)?.id ?? 0);
  for (const { kind, lines } of list) {
    const numbered = lines.map((one) => {
      id += 1 + one.gap;
      const given = one.fields === undefined || Object.keys(one.fields).length === 0 ? undefined : one.fields;
      const stored = given === undefined ? undefined : unreadableFields({ ...NO_LINE, log: one.log, fields: given });
      return { ...one, id, time: NOW_S - 10_000 + id * 10 - one.late, fields: stored };
    });
    const byGroup = Map.groupBy(numbered, ({ group }) => group);
    const row = encodeSegment(
      [...byGroup].map(([group, own]) => ({ group, lines: own })),
      kind,
    );
    await db.write((tx) => insertSegment(tx, db.dialect, { ...row, day: 0, packed: kind === 'packed' ? 1 : 0 }));
    model.push(...numbered.map(toModel));
  }
}

function toModel(given: GivenLine & { readonly id: number; readonly time: number }): ModelLine {
  const { id, time, group, log, count, reqId, fields: stored } = given;
  const source = sourceOf(group.src - 101);
  return {
    id: String(id),
    time,
    level: group.level,
    log,
    fields: allFields(stored, log),
    group: group.id,
    src: group.src,
    source: source.name,
    host: source.name,
    service: group.service,
    app_id: group.appId,
    req_id: reqId,
    count,
    state: group.id === GROUPS.at(-1)?.id ? '' : group.state,
    node: { type: source.nodeType, id: source.nodeId },
  };
}

export const removeLines = (db: Database) =>
  db.write(async (tx) => {
    await tx.sql.run(CLEAR);
    await removeFilters(tx, db.dialect, 0, 2 ** 40);
  });

const TERMS = [
  ...['timed', 'TIMED out', '"upstream 1 "', 'é', 'zebra', '"out, client"', '/ups[a-z]+ \\d+/', '/(a+)+$/', '/É/i'],
  ...['client:10.0.0.3', 'client:10.0.0.1,10.0.0.2', 'client:10.0.0.*', 'host:web1', 'host:*', 'fields.host:h1', 'x:a'],
  ...['x:*', 'x:b', 'pid:>=1', 'pid:1', 'fields.__proto__:a', 'level:error', 'level:>=warn', 'service:nginx', 'app:1'],
  ...['req:r1', 'req:r2', 'req:*', 'group:41', 'group:>=44', 'state:new', 'state:muted', 'src:102', 'source:db'],
  ...[`since:${NOW_S - 9_800}`, `until:${NOW_S - 9_700}`, 'since:9700s', 'server:s1', 'request:""', 'host:nobody'],
];

/** Filters of all kinds of terms, which must be parsed after `loadExpressions`. */
const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...TERMS).map((one) => parseFilter(one)),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    tie('filter').map((one) => negate(one)),
  ),
})).filter;

const seldom = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 }).map((value) => value);
const rarely = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: one });
const times = fc.integer({ min: NOW_S - 13_000, max: NOW_S - 8_500 });

export const queries: fc.Arbitrary<LineQuery> = fc.record({
  filter: seldom(filters),
  q: rarely(fc.constantFrom('timed', 'T', 'client: 10', 'zebra', 'É')),
  startTime: rarely(times),
  endTime: rarely(times),
  level: rarely(fc.nat(8)),
  levelMax: rarely(fc.nat(8)),
  src: rarely(fc.constantFrom(101, 102, 104)),
  appId: rarely(fc.nat(1)),
  reqId: rarely(fc.constantFrom('r1', 'R2')),
  nodeType: rarely(fc.nat(2)),
  nodeId: rarely(fc.nat(3)),
  groups: rarely(fc.uniqueArray(fc.integer({ min: 40, max: 50 }))),
  service: rarely(fc.constantFrom('', 'nginx')),
  host: rarely(fc.constantFrom('web1', 'db')),
});
