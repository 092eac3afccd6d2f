// The overview without a screen: errors, agents and tokens at a glance, as text or as JSON.
import { can, contract, levelName, type Outage } from '@quarterdeck/core';
import { createClient, type ErrlogEntry } from '@quarterdeck/sdk';
import { subjectOf } from '@quarterdeck/views/actions';
import { agentTotals, NO_AGENT_FILTER, outageMessage } from '@quarterdeck/views/agents';
import { sourceName } from '@quarterdeck/views/errlog';
import { failureOf } from '@quarterdeck/views/failures';
import { clean, cleanJson, count, distance, grouped, setZone, shortTime } from '@quarterdeck/views/text';
import { expiringTokens } from '@quarterdeck/views/tokens';
import { defaultFolders } from '../profiles/files.ts';
import { loadSettings } from '../settings/files.ts';
import { DEFAULTS, drawsAscii } from '../settings/settings.ts';
import type { Config, SavedCredential } from '../start/config.ts';
import { credentialOf, firstProfile } from '../start/first-profile.ts';
import { ascii } from '../text/ascii.ts';
import { cut, fit } from '../text/width.ts';

const ERRORS_SHOWN = 20;
const FLEET_MAX = 10_000;
const OUTAGES_MAX = 5;
const TOKENS_MAX = 1_000;
const ENDING_DAYS = 30;

/** The overview. A part without permission is null. */
export interface Overview {
  readonly server: string;
  readonly user: string;
  readonly errors: {
    readonly total: number;
    /** Groups by level and by state. */
    readonly levels: Readonly<Record<string, number>>;
    readonly states: Readonly<Record<string, number>>;
    readonly newest: readonly ErrlogEntry[];
  } | null;
  readonly agents: {
    readonly online: number;
    readonly offline: number;
    /** Agents by state, and by the version of the agent. */
    readonly states: Readonly<Record<string, number>>;
    readonly versions: Readonly<Record<string, number>>;
    readonly offline_hosts: readonly string[];
    /** The outage in progress; null for none. */
    readonly outage: Outage | null;
  } | null;
  /** Tokens that expire within thirty days or have expired. */
  readonly tokens_ending: readonly { readonly name: string; readonly expire: number }[] | null;
}

/** Reads it from the server. */
export async function readOverview(
  { profile, ...credential }: Pick<Config, 'profile'> & SavedCredential,
  fetcher?: typeof fetch,
  now: () => number = Date.now,
): Promise<Overview> {
  const client = createClient({
    url: profile.url,
    consoleUrl: profile.consoleUrl,
    ...credential,
    userAgent: 'quarterdeck-tui',
    ...(fetcher === undefined ? {} : { fetch: fetcher }),
  });
  const me = await client.user.me();
  const subject = subjectOf(me);
  const readErrors = async (): Promise<Overview['errors']> => {
    const [list, facets] = await Promise.all([
      client.errlog.list({ query: { page_size: ERRORS_SHOWN, detail: 1 } }),
      client.errlog.facets({ query: {} }),
    ]);
    return {
      total: list.meta.count,
      levels: Object.fromEntries(facets.levels.map(({ level, count: n }) => [levelName(level), n])),
      states: Object.fromEntries(facets.states.map(({ state, count: n }) => [state, n])),
      newest: list.data,
    };
  };
  const readAgents = async (): Promise<Overview['agents']> => {
    const [totals, { data }, offline] = await Promise.all([
      agentTotals(client, NO_AGENT_FILTER),
      client.outage.list({ query: { page_size: OUTAGES_MAX } }),
      client.agent.list({ query: { state: 'offline', sort: 'hostname', _pagesize: FLEET_MAX } }),
    ]);
    const states = Object.fromEntries(totals.states.map(({ state, count: n }) => [state, n]));
    return {
      online: totals.online,
      offline: states['offline'] ?? 0,
      states,
      versions: Object.fromEntries(totals.packages.map(({ value, count: n }) => [value, n])),
      offline_hosts: offline.map(({ hostname }) => hostname),
      outage: data.find(({ ended }) => ended === null) ?? null,
    };
  };
  const readTokens = async (): Promise<Overview['tokens_ending']> => {
    const { data } = await client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } });
    return expiringTokens(data, now(), ENDING_DAYS).map(({ name, expire }) => ({ name, expire }));
  };
  const [errors, agents, tokens] = await Promise.all([
    can(subject, contract.errlog.list.access) ? readErrors() : null,
    can(subject, contract.agent.list.access) ? readAgents() : null,
    can(subject, contract.apiToken.list.access) ? readTokens() : null,
  ]);
  return { server: profile.url, user: me.username, errors, agents, tokens_ending: tokens };
}

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, n]) => `${clean(name)} ${grouped(n)}`)
    .join(', ');

function errorLines(errors: NonNullable<Overview['errors']>, nowMs: number): string[] {
  const rows = errors.newest.map((row) => {
    const { log_time, level, count: times, log } = row;
    return (
      `  ${fit(shortTime(log_time, nowMs), 12)}  ${fit(levelName(level), 6)}  ${fit(count(times), 5, 'right')}  ` +
      `${fit(clean(sourceName(row)), 20)}  ${clean(log.slice(0, 1_000))}`
    );
  });
  return [
    errors.total > rows.length
      ? `Errors: ${grouped(errors.total)}, the newest ${rows.length}:`
      : `Errors: ${grouped(errors.total)}`,
    ...(errors.total === 0 ? [] : [`  levels: ${counts(errors.levels)}`, `  states: ${counts(errors.states)}`]),
    ...rows,
  ];
}

/** The overview as text, in lines of at most `columns`. */
export function overviewText(overview: Overview, nowMs: number, columns: number): string {
  const { server, user, errors, agents, tokens_ending: tokens } = overview;
  const lines = [
    `Quarterdeck at ${clean(server)}, as ${clean(user)}`,
    ...(agents === null
      ? []
      : [
          '',
          `Agents: ${grouped(agents.online)} online, ${grouped(agents.offline)} offline`,
          ...(agents.outage === null ? [] : [`  ${outageMessage(agents.outage, nowMs)?.text}`]),
          ...agents.offline_hosts.map((host) => `  ${clean(host)}`),
        ]),
    ...(tokens === null || tokens.length === 0
      ? []
      : [
          '',
          'Expiring API tokens:',
          ...tokens.map(({ name, expire }) => `  ${clean(name) || '(no name)'}: ${distance(expire, nowMs)}`),
        ]),
    ...(errors === null ? [] : ['', ...errorLines(errors, nowMs)]),
  ];
  return `${lines.map((line) => cut(line, columns)).join('\n')}\n`;
}

/** The overview as JSON, with control characters escaped. */
export const overviewJson = (overview: Overview): string => `${cleanJson(JSON.stringify(overview, null, 2))}\n`;

/** Prints the overview. Resolves with the exit code. */
export async function printOverview(
  config: Config,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): Promise<number> {
  const { settings, problems } = config.demo ? { settings: DEFAULTS, problems: [] } : loadSettings(defaultFolders());
  for (const problem of problems) stderr.write(`quarterdeck: ${clean(problem)}\n`);
  setZone(settings.zone);
  const profile = firstProfile(config, settings);
  const credential = credentialOf(profile, config);
  if (credential.apiToken === undefined && credential.sessionToken === undefined) {
    stderr.write('quarterdeck: the overview needs a credential. Run quarterdeck login, or set QUARTERDECK_TOKEN.\n');
    return 2;
  }
  try {
    const fetcher = config.demo ? (await import('../demo/demo-server.ts')).createDemo().fetch : undefined;
    const overview = await readOverview({ profile, ...credential }, fetcher);
    const draw = drawsAscii(settings, config) ? ascii : String;
    const text =
      config.mode === 'json'
        ? overviewJson(overview)
        : draw(overviewText(overview, Date.now(), stdout.isTTY ? stdout.columns : 1_000));
    await new Promise<void>((resolve) => stdout.write(text, () => resolve()));
    return 0;
  } catch (error) {
    stderr.write(`quarterdeck: ${failureOf(error).message}\n`);
    return 1;
  }
}
