// The overview without a screen: the newest errors and how many agents are there, as text or as JSON.
import { levelName } from '@quarterdeck/core';
import { type Agent, createClient, type ErrlogEntry } from '@quarterdeck/sdk';
import type { Config } from './config.ts';
import { clean, cleanJson } from './text/clean.ts';
import { count, grouped, shortTime } from './text/format.ts';
import { cut, fit } from './text/width.ts';

const ERRORS_SHOWN = 20;
const FLEET_MAX = 10_000;

/** What the overview tells. */
export interface Overview {
  readonly server: string;
  readonly errors: { readonly total: number; readonly newest: readonly ErrlogEntry[] };
  readonly agents: { readonly online: number; readonly offline: number; readonly offline_hosts: readonly string[] };
}

/** Reads it from the server. */
export async function readOverview(
  { profile, token }: Pick<Config, 'profile' | 'token'>,
  fetcher?: typeof fetch,
): Promise<Overview> {
  const client = createClient({
    url: profile.url,
    consoleUrl: profile.consoleUrl,
    apiToken: token,
    userAgent: 'quarterdeck-tui',
    ...(fetcher === undefined ? {} : { fetch: fetcher }),
  });
  const [errors, agents] = await Promise.all([
    client.errlog.list({ query: { page_size: ERRORS_SHOWN, detail: 1 } }),
    client.agent.list({ query: { _pagesize: FLEET_MAX } }),
  ]);
  const offline = agents.filter((agent: Agent) => !agent.online);
  return {
    server: profile.url,
    errors: { total: errors.meta.count, newest: errors.data },
    agents: {
      online: agents.length - offline.length,
      offline: offline.length,
      offline_hosts: offline.map(({ hostname }) => hostname).sort(),
    },
  };
}

/** As text, in lines of at most so many columns. */
export function overviewText({ server, errors, agents }: Overview, nowMs: number, columns: number): string {
  const rows = errors.newest.map(
    ({ log_time, level, count: times, source, src, log }) =>
      `  ${fit(shortTime(log_time, nowMs), 12)}  ${fit(levelName(level), 6)}  ${fit(count(times), 5, 'right')}  ` +
      `${fit(clean(source ?? `#${src}`), 16)}  ${clean(log.slice(0, 1_000))}`,
  );
  const offline = agents.offline_hosts.map((host) => `  ${clean(host)}`);
  const lines = [
    `Quarterdeck at ${clean(server)}`,
    '',
    `Agents: ${grouped(agents.online)} online, ${grouped(agents.offline)} offline`,
    ...offline,
    '',
    errors.total > rows.length
      ? `Errors: ${grouped(errors.total)}, the newest ${rows.length}:`
      : `Errors: ${grouped(errors.total)}`,
    ...rows,
  ];
  return `${lines.map((line) => cut(line, columns)).join('\n')}\n`;
}

/** As JSON: the same values, with what a terminal would act on written as escapes. */
export const overviewJson = (overview: Overview): string => `${cleanJson(JSON.stringify(overview, null, 2))}\n`;
