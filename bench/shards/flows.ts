// Calls of the feature flows over error logs and lines, each under the name that the table shows.
import type { Client } from '../../packages/sdk/src/index.ts';
import { clientAddress, groupLevel, groupText, randomFrom } from '../lines.ts';

/** Clients and rows of the flows. */
export interface Scene {
  /** An administrator. */
  readonly admin: Client;
  /** An agent: all its lines have one source. */
  readonly agent: Client;
  /** Id of a group. */
  readonly group: number;
  /** Id of the source of the agent. */
  readonly src: number;
}

const random = randomFrom(11);
const HOSTS = 40;

/** Lines of known groups, and `fresh` of new ones. */
export function lines(count: number, fresh = 0, host?: string) {
  return Array.from({ length: count }, (_, i) => {
    const n = i < fresh ? 10_000 + Math.floor(random() * 1e9) : i % 60;
    return {
      level: groupLevel(n),
      log: groupText(n, clientAddress(random)),
      service: 'nginx',
      ...(host === undefined ? {} : { host }),
      log_time: Math.floor(Date.now() / 1000) - i,
    };
  });
}

/** Stores lines of many hosts. */
export async function prepare(admin: Client): Promise<void> {
  for (let host = 0; host < HOSTS; host += 1) {
    await admin.errlog.append({ body: lines(60, 5, `gw${host}.example.com`) });
  }
}

/** A flow: its name in the table, and its calls. */
export type Flow = readonly [name: string, run: (scene: Scene) => Promise<unknown>];

const nowS = () => Math.floor(Date.now() / 1000);

export const FLOWS: readonly Flow[] = [
  ['store a batch of one source: known errors', ({ agent }) => agent.errlog.append({ body: lines(40) })],
  ['store a batch of one source: new errors', ({ agent }) => agent.errlog.append({ body: lines(10, 10) })],
  [
    'store a batch of many sources',
    ({ admin }) =>
      admin.errlog.append({ body: Array.from({ length: 30 }, (_, i) => lines(2, 1, `gw${i}.example.com`)).flat() }),
  ],
  [
    'list, facets and histogram of one source',
    async ({ admin, src }) => {
      await admin.errlog.list({ query: { src } });
      await admin.errlog.list({ query: { src, level: 4, page: 2 } });
      await admin.errlog.facets({ query: { src } });
      await admin.errlog.histogram({ query: { src } });
    },
  ],
  [
    'list of all sources',
    async ({ admin }) => {
      await admin.errlog.list({});
      await admin.errlog.list({ query: { level_max: 4, page: 3 } });
      await admin.errlog.list({ query: { sort: '-count' } });
      await admin.errlog.list({ query: { state: 'new' } });
    },
  ],
  ['list of all sources, equal errors as one', ({ admin }) => admin.errlog.list({ query: { rollup: true } })],
  ['search in all sources', ({ admin }) => admin.errlog.list({ query: { q: 'orion' } })],
  [
    'facets and histogram of all sources',
    async ({ admin }) => {
      await admin.errlog.facets({});
      await admin.errlog.histogram({});
      await admin.errlog.histogram({ query: { q: 'vega', start_time: nowS() - 3_600 } });
    },
  ],
  [
    'one group: details, occurrences',
    async ({ admin, group }) => {
      await admin.errlog.get({ params: { id: group } });
      await admin.errlog.occurrences({ params: { id: group } });
    },
  ],
  ['one group: suspected changes', ({ admin, group }) => admin.errlog.changes({ params: { id: group } })],
  [
    'one group: change of state',
    async ({ admin, group }) => {
      await admin.errlog.update({ params: { id: group }, body: { state: 'resolved' } });
      await admin.errlog.update({ params: { id: group }, body: { state: 'muted', note: 'known' } });
    },
  ],
  [
    'change of many groups',
    ({ admin }) => admin.errlog.bulk({ body: { filter: { level: 7 }, state: 'resolved' } as never }),
  ],
  [
    'lines of all sources: newest, search, values',
    async ({ admin }) => {
      await admin.line.list({});
      await admin.line.list({ query: { q: 'rigel' } });
      await admin.line.values({ query: { field: 'client' } });
    },
  ],
  ['lines of one source', ({ admin, src }) => admin.line.list({ query: { src } })],
  ['ledger of one source', ({ admin, src }) => admin.ledger.list({ query: { src } })],
  ['ledger of all sources', ({ admin }) => admin.ledger.list({})],
];
