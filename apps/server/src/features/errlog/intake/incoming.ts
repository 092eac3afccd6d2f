// Batches as they arrive.
import type { BatchNumbers } from '@quarterdeck/core';
import { AppError } from '@quarterdeck/core/plain';
import { inflate, type LinesBody } from '@quarterdeck/intake';
import type { SentLine } from '@quarterdeck/store/line-columns';
import type { PackedBatch } from './packed-batch.ts';
import type { BodySender } from './senders.ts';

/** A body of the HTTP intake, and its sender. */
export interface IncomingBody extends LinesBody {
  /** The sender; node and host are in each line. */
  readonly from: BodySender;
  /** Numbers that an agent gives to its batch, which then may be empty. */
  readonly numbers?: BatchNumbers | undefined;
  /** Addresses of the users in events of Sentry are kept. */
  readonly keepsUserIp?: boolean | undefined;
}

/** Input of the intake: a small plain body, one that is parsed, or lines of syslog. */
export type Incoming = IncomingBody | PackedBatch | { readonly lines: readonly SentLine[] };

/** Most bytes of a body, before and after it is inflated. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Plain bytes up to which a body is small. Labels of Loki and attributes of OTLP count in each of its lines. */
const SMALL_BYTES = 64 * 1024;
const SMALL_SHARED_BYTES = 8 * 1024;

export const isOtlp = ({ form }: LinesBody): boolean => form === 'otlp_json' || form === 'otlp_protobuf';
export const isLoki = ({ form }: LinesBody): boolean => form === 'loki_json' || form === 'loki_protobuf';

/**
 * Returns a body that takes a few milliseconds at most to parse, inflated; undefined for a larger one.
 *
 * @throws AppError `bad_request` for bytes that do not have its encoding
 */
export function smallBody(body: IncomingBody): IncomingBody | undefined {
  const { bytes, encoding, ...rest } = body;
  const limit = isOtlp(body) || isLoki(body) ? SMALL_SHARED_BYTES : SMALL_BYTES;
  if (bytes.length > limit) return undefined;
  if (encoding === undefined || bytes.length === 0) return body;
  try {
    return { ...rest, encoding: undefined, bytes: inflate(bytes, encoding, limit) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_large') return undefined;
    throw error;
  }
}

export const inflatedBytes = ({ bytes, encoding }: LinesBody): Uint8Array =>
  encoding === undefined || bytes.length === 0 ? bytes : inflate(bytes, encoding, MAX_BODY_BYTES);
