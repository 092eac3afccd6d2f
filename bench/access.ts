// `pnpm bench:access`: lists with a filter of sources beside the same lists without, on both databases. The goal is a
// tenth of the time at most (decision 088).
import { call } from './api.ts';
import { type Side, startSides } from './databases.ts';
import { type Load, runInTurn } from './load.ts';
import { ADMIN_PASSWORD } from './processes.ts';
import { rows } from './report.ts';

const LIST = '/admin-api/log_server/errlog';
const GROUPS = Number(process.argv[2] ?? 100_000);
const OCCURRENCES = 20;
const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 16;
/** Eleven of the twenty sources; and one that names a service beside, which leaves terms for each group. */
const FILTERS = { 'a part of the sources': 'host:gateway-1*', 'without a service': 'host:gateway-1* -service:none' };

const READS = {
  'error log, page 1': '',
  'error log, page 100': '?page=100',
  'error log, level 3 or worse': '?level_max=3',
  'error log, new ones': '?state=new',
  'error log, by count': '?sort=-count',
  'error log, of a week': `?start_time=${Math.floor(Date.now() / 1000) - 7 * 86_400}`,
  'one group': '/12',
  'error log, rolled up': '?rollup=1',
  facets: '/facets',
  'histogram of 24 h': '/histogram?buckets=96',
} as const;

/** Creates an API token with a filter of sources; returns the headers of its requests. */
async function narrowHeaders({ server }: Side, filter: string): Promise<Record<string, string>> {
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const login = (await call(server, '/admin-api/user/login', { method: 'POST', body })).data as { token: string };
  const draft = { method: 'POST', body: JSON.stringify({ errlog_filter: filter }) };
  const made = await call(server, '/admin-api/api_token', { ...draft, headers: { 'edge-token': login.token } });
  return { 'api-token': (made.data as { token: string }).token };
}

const sides = await startSides(GROUPS, OCCURRENCES);
try {
  for (const side of [sides.sqlite, sides.postgresql]) {
    const callers = [['all sources', side.headers] as [string, Record<string, string>]];
    for (const [name, filter] of Object.entries(FILTERS)) callers.push([name, await narrowHeaders(side, filter)]);
    for (const [name, query] of Object.entries(READS)) {
      const loads = callers.map(
        ([, headers]): Load => ({ server: side.server, path: LIST + query, headers, connections: CONNECTIONS }),
      );
      const figures = await runInTurn(loads, ROUNDS, SECONDS);
      rows(
        `${side.name}, ${name}`,
        figures.map((one, at) => ({ name: callers[at]?.[0] ?? '', figures: one })),
      );
    }
  }
} finally {
  await sides.stop();
}
