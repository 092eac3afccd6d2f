// Batches as they come in, and as lines: read where they are stored, which on SQLite is a thread of its own.
import type { ErrlogReceipt } from '@quarterdeck/core';
import { decodeText, type LogLine } from '@quarterdeck/core/lines';
import { AppError } from '@quarterdeck/core/plain';
import {
  type IntakeLine,
  type IntakeResult,
  type LinesBody,
  MAX_INTAKE_LINES,
  readIntakeJson,
  readIntakeNdjson,
} from '../../../ingest/http-lines.ts';
import { parseJson } from '../../../ingest/json-bytes.ts';
import type { Sender } from './source.repo.ts';

/** A line with who sent it. */
export interface SentLine {
  readonly line: LogLine;
  readonly sender: Sender;
}

/** A body of the HTTP intake, and whose lines they are. */
export interface IncomingBody extends LinesBody {
  /** Who sends; the node is in each line. */
  readonly from: Omit<Sender, 'nodeType' | 'nodeId'>;
}

/** What is sent in: a body as it came, or lines that somebody has read. */
export type Incoming = IncomingBody | { readonly lines: readonly SentLine[] };

/** The lines of a batch, and what could not be read. */
export interface ReadBatch {
  readonly lines: readonly SentLine[];
  readonly refused: ErrlogReceipt['refused'];
}

/**
 * Reads what came in. `nowS` is the time of lines that do not say theirs, in Unix seconds.
 *
 * @throws AppError `malformed_json`, `too_large` for too many lines, `nothing_accepted`
 */
export function readIncoming(incoming: Incoming, nowS: number): ReadBatch {
  if ('lines' in incoming) return { lines: incoming.lines, refused: [] };
  const { lines, refused, tooMany } = readBody(incoming, nowS);
  if (tooMany) {
    throw new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });
  }
  if (lines.length === 0) throw nothingAccepted(refused);
  return { lines: withSenders(lines, incoming.from), refused };
}

function readBody({ bytes, ndjson }: IncomingBody, nowS: number): IntakeResult {
  // A program that logs a wrong byte loses that byte, as by syslog, and not the lines of everybody else in the batch.
  return ndjson ? readIntakeNdjson(decodeText(bytes), nowS) : readIntakeJson(parseJson(bytes), nowS);
}

/** Lines with their senders, one object per sender. */
function withSenders(lines: readonly IntakeLine[], from: IncomingBody['from']): SentLine[] {
  const senders = new Map<string, Sender>();
  let last: Sender | undefined;
  return lines.map((line) => {
    const { nodeType, nodeId } = line;
    if (last === undefined || last.nodeType !== nodeType || last.nodeId !== nodeId) {
      const key = `${nodeType},${nodeId}`;
      last = senders.get(key) ?? { nodeType, nodeId, ...from };
      senders.set(key, last);
    }
    return { line, sender: last };
  });
}

function nothingAccepted(refused: IntakeResult['refused']): AppError {
  const [first] = refused;
  return new AppError('nothing_accepted', {
    ...(first === undefined ? { message: 'The batch is empty.' } : { detail: `line ${first.index}: ${first.message}` }),
    fields: refused.map(({ index, message }) => ({ path: `body.${index}`, message })),
  });
}
