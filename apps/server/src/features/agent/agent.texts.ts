// Agents as JSON text, kept in memory: from one look at a list to the next hardly anything of it changes but `online` and
// `last_reported`, which are put in between. Decision 018.
import type { Agent } from '@quarterdeck/core';
import type { Database, SqlValue } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { type AgentView, SHOWN, selected } from './agent.columns.ts';
import { lastReportedOf, toAgent } from './agent.repo.ts';
import { isOnline } from './agent.state.ts';
import type { Moment } from './agent.vigil.ts';

/** Characters kept: of some 25,000 agents as they mostly are. A character is a byte, or two in a text beyond Latin-1. */
const KEPT_CHARS = 16_000_000;

/** What changes with every report, and what says whether anything else has changed. */
const LIVE = ['id', 'revision', 'isDeleted', 'state', 'lastReportedMs', 'intervalS'] as const;
type LiveRow = Pick<AgentView, Exclude<(typeof LIVE)[number], 'revision'>> & { readonly revision: number };
type WholeRow = AgentView & LiveRow;

const LIVE_COLUMNS = selected(LIVE, 'a.');
const WHOLE_COLUMNS = selected([...SHOWN, 'revision'], 'a.');

/** The text of an agent at a revision, without the values of `online` and `last_reported`. */
interface AgentText {
  readonly revision: number;
  readonly toOnline: string;
  readonly toReported: string;
  readonly rest: string;
}

/** Texts of agents, and the lists that they make. */
export interface AgentTexts {
  /**
   * The rows of `agent a` that `tail` leaves, conditions and order, as a JSON array without detail. One that is purged
   * meanwhile may be missing.
   */
  read(moment: Moment, tail: string, ...values: SqlValue[]): Promise<string>;
}

/**
 * Makes {@link AgentTexts} that keep so many characters. They read what is committed and nothing else: a revision that is
 * rolled back comes again with other values.
 */
export function createAgentTexts({ read: { sql }, dialect }: Database, charsMax = KEPT_CHARS): AgentTexts {
  const kept = new KeptTexts(charsMax);

  async function readWhole(ids: readonly number[]): Promise<Map<number, WholeRow>> {
    const select = cached(`SELECT ${WHOLE_COLUMNS} FROM agent a WHERE ${inJson(dialect, 'a.id')}`);
    const rows = await sql.all<WholeRow>(select, JSON.stringify(ids));
    return new Map(rows.map((row) => [row.id, row]));
  }

  return {
    async read(moment, tail, ...values) {
      const rows = await sql.all<LiveRow>(cached(`SELECT ${LIVE_COLUMNS} FROM agent a${tail}`), ...values);
      const texts = rows.map(({ id, revision }) => kept.get(id, revision));
      const missing = rows.filter((_, at) => texts[at] === undefined).map(({ id }) => id);
      const whole = missing.length === 0 ? undefined : await readWhole(missing);
      let json = '';
      for (const [at, seen] of rows.entries()) {
        // What was read again may be newer, and all of it is taken from one reading.
        const row = whole?.get(seen.id) ?? seen;
        const text = texts[at] ?? (isWhole(row) ? kept.add(row.id, row.revision, toAgent(row, moment)) : undefined);
        if (text === undefined) continue;
        json += (json === '' ? '' : ',') + putTogether(text, isOnline(row, moment), lastReportedOf(row));
      }
      return `[${json}]`;
    },
  };
}

const isWhole = (row: LiveRow): row is WholeRow => 'nodeId' in row;

/** Takes an agent's text apart. Quotes within a value are escaped, so a key in its quotes is nowhere else. */
export function takeApart(agent: Agent, revision: number): AgentText {
  const text = JSON.stringify(agent);
  const online = text.indexOf(',"online":') + ',"online":'.length;
  const afterOnline = text.indexOf(',', online);
  const reported = text.indexOf(',"last_reported":', afterOnline) + ',"last_reported":'.length;
  const afterReported = text.indexOf(',', reported);
  return {
    revision,
    toOnline: text.slice(0, online),
    toReported: text.slice(afterOnline, reported),
    rest: text.slice(afterReported),
  };
}

/** The whole of {@link takeApart}'s text, with `last_reported` in Unix seconds. */
export const putTogether = ({ toOnline, toReported, rest }: AgentText, online: boolean, reported: number): string =>
  `${toOnline}${online}${toReported}${reported}${rest}`;

/** A bounded number of characters of texts. Those that were made first go first. */
class KeptTexts {
  readonly #texts = new Map<number, AgentText>();
  readonly #charsMax: number;
  #chars = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get(id: number, revision: number): AgentText | undefined {
    const text = this.#texts.get(id);
    return text?.revision === revision ? text : undefined;
  }

  add(id: number, revision: number, agent: Agent): AgentText {
    this.#delete(id);
    const text = takeApart(agent, revision);
    this.#texts.set(id, text);
    this.#chars += lengthOf(text);
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= this.#charsMax) break;
      this.#delete(oldest);
    }
    return text;
  }

  #delete(id: number): void {
    const text = this.#texts.get(id);
    if (text === undefined) return;
    this.#texts.delete(id);
    this.#chars -= lengthOf(text);
  }
}

const lengthOf = ({ toOnline, toReported, rest }: AgentText) => toOnline.length + toReported.length + rest.length;
