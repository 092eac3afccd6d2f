// Damage of the stored data that is known, as a setting: all servers and rules of alerts see it.
import { type Database, type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { inJson, readSetting, removeSettings, storeSetting } from '@quarterdeck/core/sql';
import type { Logger } from 'pino';
import type { DamagedSegment } from '../segments/damage-log.ts';

const NAME = 'damage';

/** Known damage, and the pass that looks for more. */
export interface Damage {
  readonly segments: readonly DamagedSegment[];
  /** Faults of pages that SQLite named at the end of the last pass. */
  readonly pages: readonly string[];
  readonly pass: {
    /** Unix milliseconds. */
    readonly startedMs: number;
    /** Id of the last segment that was checked; null after the last one. */
    readonly position: number | null;
  };
}

const NO_DAMAGE: Damage = { segments: [], pages: [], pass: { startedMs: 0, position: null } };

/** Returns the known damage. */
export async function readDamage(reader: Parameters<typeof readSetting>[0]): Promise<Damage> {
  const stored = await readSetting(reader, NAME);
  return stored === undefined ? NO_DAMAGE : (JSON.parse(stored) as Damage);
}

/** Removes the record, after a repair. */
export const forgetDamage = (tx: Tx): Promise<unknown> => removeSettings(tx, [NAME]);

const EXISTING = statement((dialect) => `SELECT id FROM errlog_segment WHERE ${inJson(dialect, 'id')}`);

/** Records the damage that reads and checks of this server meet. */
export class DamageRecord {
  readonly #db: Database;
  readonly #log: Logger;
  /** Segments that are not stored in the record yet. */
  readonly #noted = new Map<number, DamagedSegment>();
  readonly #logged = new Set<number>();

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Notes damaged segments. Each is logged once. */
  note(damaged: readonly DamagedSegment[]): void {
    for (const segment of damaged) {
      this.#noted.set(segment.id, joined(segment, this.#noted.get(segment.id)));
      if (this.#logged.has(segment.id)) continue;
      this.#logged.add(segment.id);
      const { id, parts, from, to } = segment;
      this.#log.error(
        { segment: id, parts, from, to },
        'stored lines are damaged; stop the server and run "quarterdeckd repair", or restore a backup',
      );
    }
  }

  /** Stores what was noted, and the result of a check. Segments that are gone or `sound` leave the record. */
  async store(change: Partial<Omit<Damage, 'segments'>> = {}, sound: ReadonlySet<number> = new Set()): Promise<void> {
    const noted = [...this.#noted.values()];
    await this.#db.write(async (tx) => {
      const before = await readDamage(tx);
      const segments = new Map(before.segments.map((segment) => [segment.id, segment]));
      for (const id of sound) segments.delete(id);
      for (const segment of noted) segments.set(segment.id, joined(segment, segments.get(segment.id)));
      const existing = await existingAmong(tx.sql, [...segments.keys()]);
      const after = { ...before, ...change, segments: [...segments.values()].filter(({ id }) => existing.has(id)) };
      const text = JSON.stringify(after);
      if (text !== JSON.stringify(before)) await storeSetting(tx, NAME, text);
    });
    for (const { id } of noted) this.#noted.delete(id);
  }
}

async function existingAmong(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  return new Set((await sql.all<{ id: number }>(EXISTING, JSON.stringify(ids))).map(({ id }) => id));
}

const joined = (segment: DamagedSegment, known: DamagedSegment = segment): DamagedSegment => ({
  id: segment.id,
  parts: [...new Set([...known.parts, ...segment.parts])].sort(),
  from: Math.min(known.from, segment.from),
  to: Math.max(known.to, segment.to),
});
