// Notes for the ledger about batches: what is counted beside their stored lines.
import type { BatchNumbers, LossStage, SentryStage } from '@quarterdeck/core';
import { type SqlTx, statement } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { LedgerEntries } from '../tables/ledger.ts';
import type { Sender } from '../tables/sources.ts';
import { IS_CUT, LACKS_LEVEL, LACKS_TIME, type LineColumns } from './line-columns.ts';

/** Note about a batch, for the source of its sender. */
export interface BatchNote {
  readonly sender: Sender;
  /** Lines that could not be read. */
  readonly refused: number;
  /** Lines that came: of a numbered batch only, since all of them are counted otherwise. */
  readonly lines: number;
  /** Numbers that an agent gave. */
  readonly numbers: BatchNumbers | undefined;
}

/** Stages of lines without a known time or level. */
const LACK_STAGES = ['lines_without_time', 'lines_without_level'] as const;
/** Stages of stored lines that miss a part. */
const KEPT_PARTS = ['cut', ...LACK_STAGES] as const;
type KeptPart = (typeof KEPT_PARTS)[number];

/** Lines that were turned away, or items of Sentry that are no lines. */
export interface Loss {
  readonly sender: Sender;
  readonly stage: LossStage | SentryStage;
  readonly lines: number;
}

/** Notes of one transaction. */
export interface LedgerNotes {
  readonly batches: readonly BatchNote[];
  readonly losses: readonly Loss[];
}

/** Notes of a transaction without any. */
export const NO_NOTES = { batches: [], losses: [] } as const satisfies LedgerNotes;

/** Notes and cut lines whose sources are known. */
export interface PlacedNotes {
  readonly batches: readonly (BatchNote & { readonly src: number })[];
  readonly losses: readonly {
    readonly src: number;
    readonly stage: Loss['stage'] | KeptPart;
    readonly lines: number;
  }[];
}

/** Finds the sources of notes and of the cut lines among `stored`. `idOf` finds a source. */
export async function placeNotes(
  { batches, losses }: LedgerNotes,
  stored: readonly LineColumns[],
  idOf: (sender: Sender) => Promise<number>,
): Promise<PlacedNotes> {
  const lacking = stored.flatMap(lacksOf);
  const placed = <Note extends { readonly sender: Sender }>(notes: readonly Note[]) =>
    Promise.all(notes.map(async (note) => ({ ...note, src: await idOf(note.sender) })));
  const [all, lost] = await Promise.all([placed(batches), placed([...losses, ...lacking])]);
  return { batches: all, losses: lost };
}

/** Marks of the lines that a stage counts. */
const MARKS = { cut: IS_CUT, lines_without_time: LACKS_TIME, lines_without_level: LACKS_LEVEL } as const;

/** Counts the lines that miss a part, by sender: there may be many of one sender. */
function lacksOf({ marks, counts, senders, senderOf }: LineColumns) {
  const lacks: { readonly sender: Sender; readonly stage: KeptPart; readonly lines: number }[] = [];
  for (const stage of KEPT_PARTS) {
    const bit = MARKS[stage];
    const lines = senders.map(() => 0);
    for (let i = 0; i < marks.length; i += 1) {
      const sender = senderOf[i] as number;
      if (((marks[i] as number) & bit) !== 0) lines[sender] = (lines[sender] as number) + (counts[i] as number);
    }
    for (const [i, sender] of senders.entries()) {
      if (lines[i] !== 0) lacks.push({ sender, stage, lines: lines[i] as number });
    }
  }
  return lacks;
}

const LAST = statement(
  (dialect) =>
    `SELECT agent_id, spool, number, read, dropped, time FROM ledger_batch WHERE ${inJson(dialect, 'agent_id')}`,
);
const SET_LAST = statement(
  `INSERT INTO ledger_batch (agent_id, spool, number, read, dropped, time) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (agent_id) DO UPDATE SET spool = excluded.spool, number = excluded.number, read = excluded.read,
     dropped = excluded.dropped, time = excluded.time`,
);

/** The last batch of an agent that was counted. */
interface LastBatch {
  readonly agent_id: number;
  readonly spool: string;
  readonly number: number;
  readonly read: number;
  readonly dropped: string;
  readonly time: number;
}

/** Last batches by agent. */
export type LastBatches = ReadonlyMap<number, LastBatch>;

/** Tells whether notes have numbers that agents gave: {@link readLastBatches} is needed. */
export const hasNumbers = ({ batches }: PlacedNotes): boolean => batches.some(({ numbers }) => numbers !== undefined);

/** Reads the last batches of the agents of notes. No other batch may commit from now on until this one does. */
export async function readLastBatches({ sql }: SqlTx, { batches }: PlacedNotes): Promise<LastBatches> {
  const agents = batches.flatMap(({ numbers, sender: { agentId = 0 } }) => (numbers === undefined ? [] : agentId));
  if (agents.length === 0) return new Map();
  const rows = await sql.all<LastBatch>(LAST, JSON.stringify([...new Set(agents)]));
  return new Map(rows.map((row) => [row.agent_id, row]));
}

/** Adds notes to the ledger, and stores the last batches. All statements are sent before it returns. */
export async function addNotes(
  tx: SqlTx,
  ledger: LedgerEntries,
  { batches, losses }: PlacedNotes,
  last: LastBatches,
): Promise<void> {
  const counted = new Map<number, LastBatch>();
  for (const note of batches) {
    const { src, refused, numbers, sender } = note;
    const { agentId = 0 } = sender;
    const batch = numbers && countNumbers(ledger, note, numbers, counted.get(agentId) ?? last.get(agentId));
    if (batch !== undefined) counted.set(agentId, batch);
    if (numbers === undefined || batch !== undefined) ledger.lose(src, 'refused', refused, ledger.nowS);
  }
  for (const { src, stage, lines } of losses) {
    // Items of Sentry were no lines, so none is missing.
    if (isKept(stage) || isOfSentry(stage)) ledger.add(src, stage, lines);
    else ledger.lose(src, stage, lines, ledger.nowS);
  }
  await Promise.all(
    Array.from(counted.values(), ({ agent_id, spool, number, read, dropped, time }) =>
      tx.sql.run(SET_LAST, agent_id, spool, number, read, dropped, time),
    ),
  );
}

/** Counts a numbered batch. Returns the last batch of its agent from now on; undefined if it was counted before. */
function countNumbers(
  ledger: LedgerEntries,
  { src, sender: { agentId = 0 }, lines }: PlacedNotes['batches'][number],
  numbers: BatchNumbers,
  last: LastBatch | undefined,
): LastBatch | undefined {
  const { spool, number, read, dropped } = numbers;
  // Nothing is known of the batches before the first one that this server sees of a spool, so none of them is missing.
  const known = last?.spool === spool ? last : undefined;
  if (known !== undefined && number <= known.number) return undefined;
  // A batch of an earlier version has not all stages.
  const lost: Partial<BatchNumbers['dropped']> =
    known === undefined ? { ...(number === 1 ? NONE : dropped) } : JSON.parse(known.dropped);
  const missing = known === undefined ? 0 : Math.max(0, read - known.read - lines);
  const sinceS = known?.time ?? ledger.nowS;
  ledger.add(src, 'sent', lines);
  ledger.add(src, 'read', lines + missing);
  for (const stage of LACK_STAGES) {
    const n = Math.min(numbers[stage] ?? 0, lines);
    if (n > 0) ledger.add(src, stage, n);
  }
  ledger.lose(src, 'missing', missing, sinceS);
  for (const stage of ['rotation', 'spool_full', 'skipped'] as const) {
    ledger.lose(src, stage, Math.max(0, dropped[stage] - (lost[stage] ?? 0)), sinceS);
  }
  return { agent_id: agentId, spool, number, read, dropped: JSON.stringify(dropped), time: ledger.nowS };
}

const isKept = (stage: Loss['stage'] | KeptPart): stage is KeptPart =>
  stage === 'cut' || stage === 'lines_without_time' || stage === 'lines_without_level';

/** Tells whether a stage counts items of Sentry that are no lines. */
export const isOfSentry = (stage: Loss['stage']): stage is SentryStage => stage.startsWith('sentry_');

const NONE: BatchNumbers['dropped'] = { rotation: 0, spool_full: 0, skipped: 0 };
