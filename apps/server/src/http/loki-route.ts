// `POST /loki/api/v1/push`. Outside the contract: Loki defines its body, and answers 204. Refusals have this server's
// envelope; senders read their status and print the text.
import { AppError } from '@quarterdeck/core';
import { isJson, mediaType, sendEmpty } from '@quarterdeck/express/parts';
import { LinesBody } from '@quarterdeck/intake';
import type { Request, Response } from 'express';
import type { ErrlogService } from '../features/errlog/errlog.service.ts';
import { MAX_BODY_BYTES } from '../features/errlog/intake/incoming.ts';
import type { LineSender } from '../features/errlog/intake/senders.ts';
import { type AuthDeps, acceptSenderCredential, admit } from './admit.ts';
import { readLinesBody } from './body.ts';
import { addressOf } from './caller.ts';
import { LOKI_PUSH } from './endpoints/raw-endpoints.ts';

export interface LokiDeps extends AuthDeps {
  readonly storeLoki: ErrlogService['storeLoki'];
}

/** Stores the entries of a sender. */
export async function receiveLoki(deps: LokiDeps, req: Request, res: Response): Promise<void> {
  acceptSenderCredential(req);
  const actor = await admit(deps, LOKI_PUSH, req, res);
  const type = mediaType(req);
  const isProtobuf = type === 'application/x-protobuf' || type === 'application/protobuf';
  if (!isProtobuf && !isJson(type)) {
    const message = 'The Content-Type must be application/json or application/x-protobuf.';
    throw new AppError('unsupported_media_type', { message });
  }
  const { bytes, encoding } = await readLinesBody(req, 'loki_json', MAX_BODY_BYTES);
  // In protobuf always with Snappy, whether or not a header says so.
  const body = isProtobuf
    ? new LinesBody(bytes, 'loki_protobuf', 'snappy')
    : new LinesBody(bytes, 'loki_json', encoding);
  // Only users and agents may write error logs.
  await deps.storeLoki(body, actor as LineSender, addressOf(req));
  sendEmpty(res, 204);
}
