// Batches as they come in, and as lines.
import { createHash } from 'node:crypto';
import type { ErrlogReceipt } from '@quarterdeck/core';
import { decodeText } from '@quarterdeck/core/lines';
import { AppError } from '@quarterdeck/core/plain';
import type { Sender, SentLine } from '../../../errlog-store/errlog-store.ts';
import { fingerprint } from '../../../fingerprint/fingerprint.ts';
import {
  type IntakeLine,
  type IntakeResult,
  MAX_INTAKE_LINES,
  readIntakeJson,
  readIntakeNdjson,
} from '../../../ingest/http-lines.ts';
import { inflate } from '../../../ingest/inflate.ts';
import { checkJsonBounds } from '../../../ingest/json-bounds.ts';
import { isBlank, parseJson } from '../../../ingest/json-bytes.ts';
import type { LinesBody } from '../../../ingest/lines-body.ts';
import type { PackedBatch } from './packed-batch.ts';

/** A body of the HTTP intake, and whose lines they are. */
export interface IncomingBody extends LinesBody {
  /** Who sends; the node is in each line. */
  readonly from: Omit<Sender, 'nodeType' | 'nodeId'>;
}

/** What is sent in: a body that is small and plain, one that a thread has read, or lines of syslog. */
export type Incoming = IncomingBody | PackedBatch | ReadBatch | { readonly lines: readonly SentLine[] };

/** The lines of a batch with a fingerprint for each, and what could not be read. */
export interface ReadBatch {
  readonly lines: readonly SentLine[];
  readonly fingerprints: readonly string[];
  readonly refused: ErrlogReceipt['refused'];
  /** Of the inflated body. */
  readonly bodyHash: Uint8Array | undefined;
}

/** More bytes than this are refused, before and after they are inflated. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** More values than this in one body are refused: a line that uses every field has ten. */
const MAX_VALUES = 250_000;
/** Of a batch without a line that can be read, this many lines are told of. */
const MAX_TOLD = 100;

/**
 * Inflates a body, parses it and makes the fingerprints. `nowS` is the time of lines that do not say theirs, in Unix seconds.
 * Takes tens of milliseconds for megabytes.
 *
 * @param hashed the hash of the body is needed
 * @throws AppError `bad_request`, `body_missing`, `malformed_json`, `too_large` for too many bytes, lines or values, or too
 *   deep ones, `nothing_accepted`
 */
export function readBody(body: IncomingBody, nowS: number, hashed: boolean): ReadBatch {
  const bytes = inflatedBytes(body);
  const { lines, refused, tooMany } = readLines(bytes, body.form === 'ndjson', nowS);
  if (tooMany) {
    throw new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });
  }
  if (lines.length === 0) throw nothingAccepted(refused);
  return {
    lines: withSenders(lines, body.from),
    fingerprints: lines.map(({ log }) => fingerprint(log)),
    refused,
    bodyHash: hashed ? createHash('sha256').update(bytes).digest() : undefined,
  };
}

/** The bytes of a body as they were before they were compressed. */
export const inflatedBytes = ({ bytes, encoding }: LinesBody): Uint8Array =>
  encoding === undefined || bytes.length === 0 ? bytes : inflate(bytes, encoding, MAX_BODY_BYTES);

function readLines(bytes: Uint8Array, ndjson: boolean, nowS: number): IntakeResult {
  if (isBlank(bytes)) throw new AppError('body_missing');
  const elements = checkJsonBounds(bytes, MAX_VALUES, ndjson);
  if (!ndjson && elements > MAX_INTAKE_LINES) return { lines: [], refused: [], tooMany: true };
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
    fields: refused.slice(0, MAX_TOLD).map(({ index, message }) => ({ path: `body.${index}`, message })),
  });
}
