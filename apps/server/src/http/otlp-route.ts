// `POST /v1/logs` of OTLP/HTTP. Outside the contract: OpenTelemetry defines its body and its answer, in JSON or
// protobuf, without an envelope. Refusals have this server's envelope; exporters read only their status.
import { AppError } from '@quarterdeck/core';
import { mediaType, sendJson, setHead } from '@quarterdeck/express/parts';
import { writeOtlpProtobuf } from '@quarterdeck/intake';
import type { Request, Response } from 'express';
import type { ErrlogService, OtlpReceipt } from '../features/errlog/errlog.service.ts';
import { MAX_BODY_BYTES } from '../features/errlog/intake/incoming.ts';
import type { LineSender } from '../features/errlog/intake/senders.ts';
import { type AuthDeps, admit } from './admit.ts';
import { readLinesBody } from './body.ts';
import { addressOf } from './caller.ts';
import { OTLP_LOGS } from './endpoints/raw-endpoints.ts';

export interface OtlpDeps extends AuthDeps {
  readonly storeOtlp: ErrlogService['storeOtlp'];
}

const TYPES: ReadonlyMap<string | undefined, 'json' | 'protobuf'> = new Map([
  ['application/json', 'json'],
  ['application/x-protobuf', 'protobuf'],
  ['application/protobuf', 'protobuf'],
]);

/** Stores the logs of an exporter. */
export async function receiveOtlpLogs(deps: OtlpDeps, req: Request, res: Response): Promise<void> {
  const actor = await admit(deps, OTLP_LOGS, req, res);
  const type = TYPES.get(mediaType(req));
  if (type === undefined) {
    const message = 'The Content-Type must be application/json or application/x-protobuf.';
    throw new AppError('unsupported_media_type', { message });
  }
  const body = await readLinesBody(req, type === 'json' ? 'otlp_json' : 'otlp_protobuf', MAX_BODY_BYTES);
  // Only users and agents may write error logs.
  answer(req, res, type, await deps.storeOtlp(body, actor as LineSender, addressOf(req)));
}

function answer(req: Request, res: Response, type: 'json' | 'protobuf', receipt: OtlpReceipt): void {
  const { rejected } = receipt;
  const message = messageOf(receipt);
  if (type === 'json') {
    const partial = { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } };
    sendJson(req, res, 200, message === '' ? {} : partial);
    return;
  }
  const body = writeOtlpProtobuf(rejected, message);
  setHead(res, 200, 'application/x-protobuf');
  res.setHeader('Content-Length', body.length);
  res.end(body);
}

/** Returns the message of a partial success; a message without rejected records is a warning. `''` for none. */
function messageOf({ rejected, warned, warning }: OtlpReceipt): string {
  const parts: string[] = [];
  if (rejected > 0) parts.push('Records without a body, an event name and an exception are not stored.');
  if (warning !== undefined) {
    const { index, fields, message } = warning;
    parts.push(`Not kept as sent in ${warned} records, first in record ${index}: ${fields.join(', ')}. ${message}.`);
  }
  return parts.join(' ');
}
