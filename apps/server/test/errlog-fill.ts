// Fills a server with some months of errors, and the model with the same ones.
import type { ErrlogEntry, ErrlogLine, ErrlogState } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { expect } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { APPS, DAY_S, entryOf, FIRST, LAST, NODES, REQ_IDS, type Row, SERVICES } from './errlog-model.ts';
import type { TestApi } from './start-api.ts';
import { word } from './word.ts';

const GROUPS = atMost(500, 1_600);

/** A group without the fields that only the server knows. */
type Modelled = Omit<Row, 'id' | 'src' | 'fingerprint' | 'state_since' | 'until_time'>;

interface Sender {
  readonly name: string;
  readonly client: Client;
}

/** Properties that the lines of a group share. */
interface Shape {
  readonly sender: Sender;
  readonly name: string;
  readonly level: number;
  readonly appId: number;
  readonly service: string | undefined;
  readonly nodeType: number;
  readonly nodeId: number | null;
}

/** Numbers below one, the same ones each time. */
let seed = 7080;
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}
const int = (below: number) => Math.floor(random() * below);
const pick = <T>(list: readonly T[]): T => list[int(list.length)] as T;

/** Many in the same second, the same minute, and some alone in their week. */
const time = () =>
  pick([
    FIRST + int(5),
    FIRST + 3 * DAY_S + int(90),
    FIRST + int(LAST - FIRST),
    FIRST + int(LAST - FIRST),
    LAST - int(3),
  ]);

/** Every fifth is the error of another one, on another source. */
function makeShapes(senders: readonly Sender[]): Shape[] {
  const shapes: Shape[] = [];
  const known = new Set<string>();
  while (shapes.length < GROUPS) {
    const other = shapes.length % 5 === 4 ? pick(shapes) : undefined;
    const shape: Shape = {
      sender: pick(senders),
      nodeType: int(3),
      nodeId: pick([null, ...NODES]),
      name: other?.name ?? word(),
      level: other?.level ?? int(9),
      appId: other?.appId ?? pick(APPS),
      service: other === undefined ? pick(SERVICES) : other.service,
    };
    const key = [shape.name, shape.sender.name, shape.nodeType, shape.nodeId].join();
    if (known.has(key)) continue;
    known.add(key);
    shapes.push(shape);
  }
  return shapes;
}

/** Sends every group once, then some again: earlier, later and in the same second. Returns the model, newest first. */
export async function fillErrlog(api: TestApi): Promise<Row[]> {
  const agents = [await api.agent(), await api.agent()];
  const senders: Sender[] = [
    { name: 'admin', client: api.admin },
    ...agents.map(({ nodeId, client }) => ({ name: `host-${nodeId}`, client })),
  ];
  const shapes = makeShapes(senders);
  const model = new Map<Shape, Modelled>();
  for (const share of [1, 1 / 3, 1 / 5]) {
    const batches = new Map<Sender, ErrlogLine[]>();
    for (const shape of shapes) {
      if (random() >= share) continue;
      const batch = batches.get(shape.sender) ?? [];
      batches.set(shape.sender, batch);
      batch.push(happen(model, shape));
    }
    for (const [{ client }, body] of batches) await client.errlog.append({ body });
  }
  return withShownGroups(api, [...model.values()]);
}

/** One more occurrence: the line to send, and what it does to the model. */
function happen(model: Map<Shape, Modelled>, shape: Shape): ErrlogLine {
  const { sender, name, level, appId: app_id, service, nodeType: node_type, nodeId: node_id } = shape;
  const log_time = time();
  const log = `${name} failed after ${int(1e6)} ms`;
  const count = random() < 0.3 ? 1 + int(50) : 1;
  const req_id = random() < 0.3 ? pick(REQ_IDS) : null;
  const before = model.get(shape);
  const isLatest = before === undefined || log_time >= before.log_time;
  const lines = before?.lines ?? [];
  lines.push({ time: log_time, count, log, reqId: req_id ?? '' });
  model.set(shape, {
    level,
    state: 'new',
    until: '',
    note: '',
    app_id,
    node_type,
    node_id,
    source: sender.name,
    host: sender.name,
    service: service ?? '',
    lines,
    count: (before?.count ?? 0) + count,
    first_seen: Math.min(before?.first_seen ?? log_time, log_time),
    log_time: isLatest ? log_time : before.log_time,
    log: isLatest ? log : before.log,
  });
  return { level, log, log_time, app_id, service, node_type, node_id, req_id, count };
}

const identity = ({ log, level, app_id, service, source, node_type, node_id }: Partial<ErrlogEntry>) =>
  [log, level, app_id, service, source, node_type, node_id].join();

/** Ids and times of changes are the server's to choose; everything else is the model's. */
async function withShownGroups({ admin }: TestApi, model: readonly Modelled[]): Promise<Row[]> {
  const { data, meta } = await admin.errlog.list({ query: { page_size: 10_000, detail: 1 } });
  expect(meta.count).toBe(model.length);
  const shown = new Map(data.map((entry) => [identity(entry), entry]));
  const rows = model.map((row) => {
    const { id = 0, src = 0, fingerprint = '', state_since = 0, until_time = 0 } = shown.get(identity(row)) ?? {};
    return { ...row, id, src, fingerprint, state_since, until_time };
  });
  rows.sort((a, b) => b.log_time - a.log_time || b.id - a.id);
  expect(data).toEqual(rows.map(entryOf));
  return rows;
}

/** Resolves, mutes and reopens some, and lets a few of these happen again: in the model and on the server. */
export async function changeStates(api: TestApi, rows: readonly Row[]): Promise<Row[]> {
  const changes: [state: ErrlogState, until: string][] = [
    ['resolved', ''],
    ['muted', '3x'],
    ['muted', 'forever'],
    ['ongoing', ''],
    ['new', ''],
  ];
  const changed = rows.map((row) => ({ ...row }));
  for (const [state, until] of changes) {
    const some = changed.filter((row) => row.id % 2 === 0 && row.state === 'new' && random() < 0.35);
    const body = { ids: some.map(({ id }) => id), state, ...(state === 'muted' ? { until } : {}) };
    expect((await api.admin.errlog.bulk({ body })).done).toBe(some.length);
    for (const row of some) Object.assign(row, { state, until });
  }
  const nowS = Math.floor(api.now() / 1000);
  const again = changed.filter(({ source }) => source === 'admin' && random() < 0.4);
  const body = again.map((row): ErrlogLine => {
    // A late line ends no resolution; three more end a mute of three.
    const isLate = random() < 0.5;
    const log_time = isLate ? row.log_time : nowS + 60;
    const count = 1 + int(4);
    row.lines.push({ time: log_time, count, log: row.log, reqId: '' });
    if (row.state === 'resolved' && !isLate) row.state = 'regressed';
    if (row.until === '3x' && count >= 3) Object.assign(row, { state: 'ongoing', until: '' });
    Object.assign(row, { count: row.count + count, log_time });
    const { level, log, app_id, service, node_type, node_id } = row;
    return { level, log, log_time, app_id, service, node_type, node_id, count };
  });
  await api.admin.errlog.append({ body });
  return withShownGroups(api, changed);
}
