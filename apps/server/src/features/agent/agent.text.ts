// One agent as JSON text that is kept. What changes with every report is put in between; the rest is made once.
import type { Agent } from '@quarterdeck/core';
import type { LiveView } from './agent.columns.ts';
import { type DetailRow, detailOf } from './agent.repo.ts';
import { type AgentStatus, isCloned, type StatusRow, statusOf } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

/** The text of an agent at a revision, without its last brace: more fields may follow. */
export class AgentText {
  readonly revision: number;
  readonly isDeleted: number;
  /** Characters; the values that change may make it one or two more or less. */
  readonly length: number;
  /** How many more bytes than characters it has in UTF-8. */
  readonly excess: number;
  #text: string;
  #online: boolean;
  #reported: number;
  /** Characters before the value of `online`, and behind that of `last_reported`. */
  readonly #before: number;
  readonly #behind: number;

  constructor(agent: Agent, revision: number) {
    const text = JSON.stringify(agent).slice(0, -1);
    // Quotes within a value are escaped, so a key in its quotes is nowhere else.
    const online = text.indexOf(',"online":');
    const reported = text.indexOf(',"last_reported":', online);
    this.revision = revision;
    this.isDeleted = Number(agent.is_deleted);
    this.length = text.length;
    this.excess = Buffer.byteLength(text) - text.length;
    this.#text = text;
    this.#online = agent.online;
    this.#reported = agent.last_reported;
    this.#before = online + ',"online":'.length;
    this.#behind = text.length - text.indexOf(',', reported + 1);
  }

  /** The text with other values, `reported` in Unix seconds. */
  at(online: boolean, reported: number): string {
    if (online === this.#online && reported === this.#reported) return this.#text;
    const text = this.#text;
    const afterOnline = this.#before + String(this.#online).length;
    const beforeReported = text.length - this.#behind - String(this.#reported).length;
    const toOnline = text.slice(0, this.#before);
    const toReported = text.slice(afterOnline, beforeReported);
    // Joined, it is one text. Added up it would stay its parts, and those the text from before.
    this.#text = [toOnline, online, toReported, reported, text.slice(-this.#behind)].join('');
    this.#online = online;
    this.#reported = reported;
    return this.#text;
  }
}

/** The text of the fields that an agent has besides with `detail=1`, without braces, as it stands with it at a moment. */
export class DetailText {
  readonly text: string;
  /** Characters kept. */
  readonly length: number;
  /** How many more bytes than characters the text has in UTF-8. */
  readonly excess: number;
  readonly #said: string;
  readonly #row: StatusRow & Pick<DetailRow, 'clonedMs'>;
  readonly #standing: AgentStatus;
  readonly #cloned: boolean;

  /** `said` is what the columns say that only a detailed view has, and the labels. */
  constructor(row: DetailRow, said: string, moment: Moment) {
    const { isDeleted, deletedMs, state, reason, stateSinceMs, lastReportedMs, intervalS, clonedMs } = row;
    this.text = JSON.stringify(detailOf(row, moment)).slice(1, -1);
    this.length = this.text.length + said.length;
    this.excess = Buffer.byteLength(this.text) - this.text.length;
    this.#said = said;
    this.#row = { isDeleted, deletedMs, state, reason, stateSinceMs, lastReportedMs, intervalS, clonedMs };
    this.#standing = statusOf(row, moment);
    this.#cloned = isCloned(clonedMs, moment.nowMs);
  }

  /** Whether this is still the text, where what is stored of an agent changed to this. */
  isStill({ isDeleted, state, lastReportedMs, intervalS }: LiveView, said: string, moment: Moment): boolean {
    const row = this.#row;
    if (said !== this.#said || isDeleted !== row.isDeleted || intervalS !== row.intervalS) return false;
    const { deletedMs, reason, stateSinceMs, clonedMs } = row;
    const now = statusOf({ isDeleted, deletedMs, state, reason, stateSinceMs, lastReportedMs, intervalS }, moment);
    const was = this.#standing;
    return (
      now.state === was.state &&
      now.reason === was.reason &&
      now.sinceMs === was.sinceMs &&
      isCloned(clonedMs, moment.nowMs) === this.#cloned
    );
  }
}
