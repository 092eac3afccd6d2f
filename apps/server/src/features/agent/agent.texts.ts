// Lists of agents as JSON, put together from texts that are kept in memory: from one look at a list to the next hardly
// anything of it changes but `online` and `last_reported`. Decision 018.
import type { Database, Dialect, SqlValue } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { JsonText } from '../json-page.ts';
import {
  type AgentView,
  columnOf,
  type DetailView,
  type LiveView,
  SHOWN,
  SHOWN_IN_DETAIL,
  selected,
} from './agent.columns.ts';
import { lastReportedOf, toAgent } from './agent.repo.ts';
import type { Shape } from './agent.rows.ts';
import { isOnline } from './agent.state.ts';
import { AgentText, DetailText } from './agent.text.ts';
import type { Moment } from './listening-window.ts';

/** Characters kept: of some 25,000 agents as they mostly are. A character is a byte, or two in a text beyond Latin-1. */
const KEPT_CHARS = 16_000_000;
/** Characters kept of what only `detail=1` shows, as a share of those: it is less than half as long. */
const DETAIL_SHARE = 0.5;

/** What changes with reports, and what says whether anything else has changed: the revision, and with detail `said`. */
const LIVE = ['id', 'revision', 'state', 'lastReportedMs', 'intervalS'] as const;
type LiveRow = Pick<AgentView, Exclude<(typeof LIVE)[number], 'revision'>> & {
  readonly revision: number;
  readonly said?: string;
};
type WholeRow = AgentView & LiveRow;

const LIVE_COLUMNS = selected(LIVE, 'a.');
const WHOLE_COLUMNS = selected([...SHOWN, 'revision'], 'a.');

/** What only `detail=1` shows, in one text: that is compared at once, and mostly not looked into. */
function saidIn(dialect: Dialect): string {
  const columns = SHOWN_IN_DETAIL.map((name) => `a.${columnOf(name)}`).join(', ');
  return dialect === 'sqlite'
    ? `json_array(${columns}, json((SELECT json_group_object(name, value) FROM
         (SELECT name, value FROM agent_label WHERE agent_id = a.id ORDER BY name)))) AS said`
    : `CAST(json_build_array(${columns}, (SELECT json_object_agg(name, value ORDER BY name COLLATE "C")
         FROM agent_label WHERE agent_id = a.id)) AS text) AS said`;
}

/** {@link saidIn} taken apart. */
function readSaid(said: string) {
  const values: unknown[] = JSON.parse(said);
  const columns = Object.fromEntries(SHOWN_IN_DETAIL.map((name, at) => [name, values[at]])) as unknown as DetailView;
  const labels = Object.entries((values[SHOWN_IN_DETAIL.length] ?? {}) as Record<string, string>);
  return { ...columns, labels: labels.map(([name, value]) => ({ name, value })) };
}

/** Texts of agents, and the lists that they make. */
export interface AgentTexts {
  /**
   * The rows of `agent a` that `tail` leaves, conditions and order, as a JSON array. One that is purged meanwhile may be
   * missing.
   */
  read(shape: Shape, tail: string, ...values: SqlValue[]): Promise<JsonText>;
}

/**
 * Makes {@link AgentTexts} that keep so many characters. They read what is committed and nothing else: a revision that is
 * rolled back comes again with other values.
 */
export function createAgentTexts({ read: { sql }, dialect }: Database, charsMax = KEPT_CHARS): AgentTexts {
  const texts = new Kept<AgentText>(charsMax);
  const details = new Kept<DetailText>(charsMax * DETAIL_SHARE);
  const said = saidIn(dialect);

  async function readWhole(columns: string, ids: readonly number[]): Promise<Map<number, WholeRow>> {
    const select = cached(`SELECT ${columns} FROM agent a WHERE ${inJson(dialect, 'a.id')}`);
    const rows = await sql.all<WholeRow>(select, JSON.stringify(ids));
    return new Map(rows.map((row) => [row.id, row]));
  }

  function addText(row: WholeRow, moment: Moment): AgentText {
    const text = new AgentText(toAgent(row, moment), row.revision);
    texts.set(row.id, text);
    return text;
  }

  function detailText(id: number, live: LiveView, said: string, moment: Moment): DetailText {
    const kept = details.get(id);
    if (kept?.isStill(live, said, moment)) return kept;
    const text = new DetailText({ ...readSaid(said), ...live }, said, moment);
    details.set(id, text);
    return text;
  }

  return {
    async read({ detail, moment }, tail, ...values) {
      const besides = detail === 1 ? `, ${said}` : '';
      const rows = await sql.all<LiveRow>(cached(`SELECT ${LIVE_COLUMNS}${besides} FROM agent a${tail}`), ...values);
      const known = rows.map(({ id, revision }) => {
        const text = texts.get(id);
        return text?.revision === revision ? text : undefined;
      });
      const missing = rows.filter((_, at) => known[at] === undefined).map(({ id }) => id);
      const whole = missing.length === 0 ? undefined : await readWhole(`${WHOLE_COLUMNS}${besides}`, missing);
      let json = '';
      let excess = 0;
      for (const [at, seen] of rows.entries()) {
        // What was read again may be newer, and all of it is taken from one reading.
        const row = whole?.get(seen.id) ?? seen;
        const text = known[at] ?? (isWhole(row) ? addText(row, moment) : undefined);
        if (text === undefined) continue;
        const { state, lastReportedMs, intervalS } = row;
        const live = { isDeleted: text.isDeleted, state, lastReportedMs, intervalS };
        json += (json === '' ? '' : '},') + text.at(isOnline(live, moment), lastReportedOf(live));
        excess += text.excess;
        if (row.said === undefined) continue;
        const besides = detailText(row.id, live, row.said, moment);
        json += `,${besides.text}`;
        excess += besides.excess;
      }
      json = json === '' ? '[]' : `[${json}}]`;
      return { json, bytes: json.length + excess };
    },
  };
}

const isWhole = (row: LiveRow): row is WholeRow => 'nodeId' in row;

/** Texts by agent, of a bounded number of characters. Those that were made first go first. */
class Kept<Text extends { readonly length: number }> {
  readonly #texts = new Map<number, Text>();
  readonly #charsMax: number;
  #chars = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get(id: number): Text | undefined {
    return this.#texts.get(id);
  }

  set(id: number, text: Text): void {
    this.#delete(id);
    this.#texts.set(id, text);
    this.#chars += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= this.#charsMax) break;
      this.#delete(oldest);
    }
  }

  #delete(id: number): void {
    const text = this.#texts.get(id);
    if (text === undefined) return;
    this.#texts.delete(id);
    this.#chars -= text.length;
  }
}
