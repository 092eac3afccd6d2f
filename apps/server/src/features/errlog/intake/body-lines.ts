// The lines of a body.
import { createHash } from 'node:crypto';
import { chosenFingerprint, fingerprint } from '@quarterdeck/core/fingerprint';
import { decodeText, type LogLine } from '@quarterdeck/core/lines';
import { AppError, isBlankJson } from '@quarterdeck/core/plain';
import {
  type BulkResult,
  checkJsonBounds,
  type IntakeLine,
  IntakeReading,
  type IntakeResult,
  jsonParts,
  linesParts,
  MAX_INTAKE_LINES,
  readBulk,
  readLoki,
  readSentryEnvelope,
  readSentryStore,
  type SentryResult,
} from '@quarterdeck/intake';
import type { Sender } from '@quarterdeck/store';
import { type LineColumns, LineColumnsBuilder, sizeOf, toColumns } from '@quarterdeck/store/line-columns';
import { type IncomingBody, inflatedBytes, isLoki, isOtlp } from './incoming.ts';
import { readOtlpBody } from './otlp-body.ts';
import type { ReadBatch } from './packed-batch.ts';
import { type BodySender, sourceOf } from './senders.ts';

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
  if (isOtlp(body)) return readOtlpBody(body, nowS);
  const bytes = inflatedBytes(body);
  const isEmpty = body.numbers !== undefined && isBlankJson(bytes);
  const { lines, refused, chosen, ...others } = isEmpty ? EMPTY : readLines(bytes, body, nowS);
  // An envelope of Sentry may hold nothing that is stored.
  if (sizeOf(lines) + refused.length === 0 && !isEmpty && chosen === undefined) throw nothingAccepted(refused);
  return {
    lines,
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

/** A body that is read, but for its lines. */
type ReadRest = Omit<IntakeResult, 'lines'> & Partial<Omit<BulkResult & SentryResult, keyof IntakeResult>>;
type ReadLines = Omit<ReadRest, 'tooMany'> & { readonly lines: LineColumns };

const EMPTY: ReadLines = { lines: toColumns([], () => ''), refused: [] };

function readLines(bytes: Uint8Array, body: IncomingBody, nowS: number): ReadLines {
  const { form } = body;
  if (bytes.length === 0) throw new AppError('body_missing');
  if (!isLoki(body) && isBlankJson(bytes)) throw new AppError('body_missing');
  if (form === 'json' || form === 'ndjson') return readParts(bytes, body, nowS);
  const { lines, tooMany, ...rest } = readWhole(bytes, body, nowS);
  if (tooMany) throw tooManyLines();
  const columns = new BodyColumns(body.from, lines.length, bytes.length);
  columns.add(lines, rest.chosen);
  return { ...rest, lines: columns.finish() };
}

const tooManyLines = () =>
  new AppError('too_large', { message: `A batch may hold at most ${MAX_INTAKE_LINES} lines.` });

/** Reads a body of another protocol. */
function readWhole(bytes: Uint8Array, body: IncomingBody, nowS: number): ReadRest & Pick<IntakeResult, 'lines'> {
  const { form, target } = body;
  if (isLoki(body)) return readLoki(bytes, form === 'loki_json' ? 'json' : 'protobuf', nowS);
  if (form === 'bulk') return readBulk(bytes, target, nowS);
  const reading = { project: target, nowS, userIp: body.keepsUserIp === true ? body.from.address : undefined };
  return form === 'sentry_store' ? readSentryStore(bytes, reading) : readSentryEnvelope(bytes, reading);
}

/** Reads a body of lines part by part. */
function readParts(bytes: Uint8Array, { form, from }: IncomingBody, nowS: number): ReadLines {
  const isNdjson = form === 'ndjson';
  const { elements, cuts } = checkJsonBounds(bytes, MAX_VALUES, isNdjson);
  if (!isNdjson && elements > MAX_INTAKE_LINES) throw tooManyLines();
  const reading = new IntakeReading(nowS);
  let columns: BodyColumns | undefined;
  // A program that logs an invalid byte loses that byte, as with syslog. The other lines of the batch stay.
  for (const part of isNdjson ? linesParts(bytes) : jsonParts(bytes, cuts)) {
    const fits = isNdjson ? reading.addNdjson(decodeText(part as Uint8Array)) : reading.addJson(part);
    if (!fits) throw tooManyLines();
    const lines = reading.take();
    // A notification of Alertmanager is one element with many lines.
    columns ??= new BodyColumns(from, Math.max(lines.length, Math.min(elements, MAX_INTAKE_LINES)), bytes.length);
    columns.add(lines);
  }
  return { ...reading.result(), lines: columns?.finish() ?? EMPTY.lines };
}

/** Adds senders and fingerprints to the lines of a body. There is one object per sender. */
class BodyColumns {
  readonly #from: BodySender;
  readonly #columns: LineColumnsBuilder;
  readonly #nodes = new Map<string, Map<string, Sender>>();
  // Lines of a body often have one node and many hosts.
  #last: { readonly nodeType: number; readonly nodeId: number; readonly hosts: Map<string, Sender> } | undefined;

  /** `size` is the number of lines at most, and `bytes` about that in their texts. */
  constructor(from: BodySender, size: number, bytes: number) {
    this.#from = from;
    this.#columns = new LineColumnsBuilder(size, bytes);
  }

  add(lines: readonly IntakeLine[], chosen?: ReadRest['chosen']): void {
    const { agentId } = this.#from;
    for (let i = 0; i < lines.length; i += 1) {
      const line = lines[i] as IntakeLine;
      const { host = '', log, service } = line;
      const parts = chosen?.[i];
      this.#columns.add(
        agentId === undefined || host === '' ? line : withField(line, 'host', host),
        this.#senderOf(line),
        parts === undefined ? fingerprint(log, service) : chosenFingerprint(parts, log, service),
      );
    }
  }

  #senderOf({ host = '', nodeType, nodeId }: IntakeLine): Sender {
    let last = this.#last;
    if (last?.nodeType !== nodeType || last.nodeId !== nodeId) {
      const node = `${nodeType},${nodeId}`;
      last = { nodeType, nodeId, hosts: this.#nodes.get(node) ?? new Map() };
      this.#nodes.set(node, last.hosts);
      this.#last = last;
    }
    let sender = last.hosts.get(host);
    if (sender === undefined) {
      sender = sourceOf(this.#from, host, nodeType, nodeId);
      last.hosts.set(host, sender);
    }
    return sender;
  }

  finish(): LineColumns {
    return this.#columns.finish();
  }
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
