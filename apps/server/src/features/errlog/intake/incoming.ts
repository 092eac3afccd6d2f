// Batches as they arrive, and as lines.
import { createHash } from 'node:crypto';
import type { BatchNumbers } from '@quarterdeck/core';
import { chosenFingerprint, fingerprint } from '@quarterdeck/core/fingerprint';
import { decodeText, type LogLine } from '@quarterdeck/core/lines';
import { AppError, isBlankJson, parseJson } from '@quarterdeck/core/plain';
import type { LinesBody } from '@quarterdeck/intake';
import {
  type BulkResult,
  checkJsonBounds,
  type IntakeLine,
  type IntakeResult,
  inflate,
  MAX_INTAKE_LINES,
  readBulk,
  readIntakeJson,
  readIntakeNdjson,
  readLoki,
  readSentryEnvelope,
  readSentryStore,
  type SentryResult,
} from '@quarterdeck/intake';
import type { Sender, SentLine } from '@quarterdeck/store';
import type { PackedBatch, ReadBatch } from './packed-batch.ts';
import { type BodySender, sourceOf } from './senders.ts';

/** A body of the HTTP intake, and its sender. */
export interface IncomingBody extends LinesBody {
  /** The sender; node and host are in each line. */
  readonly from: BodySender;
  /** Numbers that an agent gives to its batch, which then may be empty. */
  readonly numbers?: BatchNumbers | undefined;
  /** Addresses of the users in events of Sentry are kept. */
  readonly keepsUserIp?: boolean | undefined;
}

/** Input of the intake: a small plain body, a body that a thread parsed, or lines of syslog. */
export type Incoming = IncomingBody | PackedBatch | ReadBatch | { readonly lines: readonly SentLine[] };

/** Most bytes of a body, before and after it is inflated. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Most values in one body: 10,000 lines with fifty members each. */
const MAX_VALUES = 500_000;
/** Most refused lines listed for a batch without an accepted one. */
const MAX_LISTED = 100;

/**
 * Inflates a body, parses it and makes the fingerprints. Takes tens of milliseconds for megabytes. `nowS` is the time
 * of lines without one, in Unix seconds.
 *
 * @param hashed the hash of the body is needed
 * @throws AppError `bad_request`, `body_missing`, `malformed_json`, `nothing_accepted` for an empty list, `too_large`
 *   for too many bytes, lines or values, or too deep ones
 */
export function readBody(body: IncomingBody, nowS: number, hashed: boolean): ReadBatch {
  const bytes = inflatedBytes(body);
  const isEmpty = body.numbers !== undefined && isBlankJson(bytes);
  const { lines, refused, tooMany, chosen, ...others } = isEmpty ? EMPTY : readLines(bytes, body, nowS);
  if (tooMany) {
    throw new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });
  }
  // An envelope of Sentry may hold nothing that is stored.
  if (lines.length + refused.length === 0 && !isEmpty && chosen === undefined) throw nothingAccepted(refused);
  return {
    lines: withSenders(lines, body.from),
    fingerprints: lines.map(({ log, service }, i) => {
      const parts = chosen?.[i];
      return parts === undefined ? fingerprint(log, service) : chosenFingerprint(parts, log, service);
    }),
    refused,
    ...others,
    from: body.from,
    numbers: body.numbers,
    // An SDK that sends an event again writes another time into the envelope.
    bodyHash: hashed
      ? createHash('sha256')
          .update((chosen && others.key) ?? bytes)
          .digest()
      : undefined,
  };
}

/** A body as its reader returns it. */
type ReadLines = IntakeResult & Partial<Omit<BulkResult & SentryResult, keyof IntakeResult>>;

const EMPTY: ReadLines = { lines: [], refused: [], tooMany: false };

export const inflatedBytes = ({ bytes, encoding }: LinesBody): Uint8Array =>
  encoding === undefined || bytes.length === 0 ? bytes : inflate(bytes, encoding, MAX_BODY_BYTES);

function readLines(bytes: Uint8Array, body: IncomingBody, nowS: number): ReadLines {
  const { form, target } = body;
  if (bytes.length === 0) throw new AppError('body_missing');
  if (form === 'loki_json' || form === 'loki_protobuf')
    return readLoki(bytes, form === 'loki_json' ? 'json' : 'protobuf', nowS);
  if (isBlankJson(bytes)) throw new AppError('body_missing');
  if (form === 'bulk') return readBulk(bytes, target, nowS);
  if (form === 'sentry_envelope' || form === 'sentry_store') {
    const reading = { project: target, nowS, userIp: body.keepsUserIp === true ? body.from.address : undefined };
    return form === 'sentry_store' ? readSentryStore(bytes, reading) : readSentryEnvelope(bytes, reading);
  }
  const ndjson = form === 'ndjson';
  const elements = checkJsonBounds(bytes, MAX_VALUES, ndjson);
  if (!ndjson && elements > MAX_INTAKE_LINES) return { lines: [], refused: [], tooMany: true };
  // A program that logs an invalid byte loses that byte, as with syslog. The other lines of the batch stay.
  return ndjson ? readIntakeNdjson(decodeText(bytes), nowS) : readIntakeJson(parseJson(bytes), nowS);
}

/** Adds senders to lines, one object per sender. */
function withSenders(lines: readonly IntakeLine[], from: BodySender): SentLine[] {
  const senders = new Map<string, Sender>();
  let last: { key: string; sender: Sender } | undefined;
  // The lines stay as they are: a copy without host and node costs as much as parsing them.
  return lines.map((line) => {
    const { host = '', nodeType, nodeId } = line;
    const key = `${nodeType},${nodeId},${host}`;
    if (last?.key !== key) {
      last = { key, sender: senders.get(key) ?? sourceOf(from, host, nodeType, nodeId) };
      senders.set(key, last.sender);
    }
    return {
      line: from.agentId === undefined || host === '' ? line : withField(line, 'host', host),
      sender: last.sender,
    };
  });
}

/** Adds a field: the host of an agent's line is not its source. */
const withField = (line: LogLine, name: string, value: string): LogLine => ({
  ...line,
  fields: { [name]: value, ...line.fields },
});

/** The error for a batch of which no line can be read. */
export function nothingAccepted(refused: IntakeResult['refused']): AppError {
  const [first] = refused;
  return new AppError('nothing_accepted', {
    ...(first === undefined ? { message: 'The batch is empty.' } : { detail: `line ${first.index}: ${first.message}` }),
    fields: refused.slice(0, MAX_LISTED).map(({ index, message }) => ({ path: `body.${index}`, message })),
  });
}
