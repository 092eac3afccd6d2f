// `POST /_bulk` and `/{index}/_bulk`, and what clients of Elasticsearch ask before. Outside the contract: Elasticsearch
// defines bodies and answers. Refusals have this server's envelope: its clients read their status alone.

import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '@quarterdeck/core';
import { sendJson, sendText } from '@quarterdeck/express/parts';
import { LinesBody } from '@quarterdeck/intake';
import type { Request, Response } from 'express';
import type { ErrlogService } from '../features/errlog/errlog.service.ts';
import { MAX_BODY_BYTES } from '../features/errlog/intake/incoming.ts';
import type { LineSender } from '../features/errlog/intake/senders.ts';
import { type AuthDeps, acceptSenderCredential, admit } from './admit.ts';
import { readLinesBody } from './body.ts';
import { addressOf } from './caller.ts';

/** Dependencies of the routes. */
export interface BulkDeps extends AuthDeps {
  readonly storeBulk: ErrlogService['storeBulk'];
}

/** Media type of clients that name the version which they are compatible with. */
const COMPATIBLE = 'application/vnd.elasticsearch+json';
/** The last minor version of the API that clients of 7, 8 and 9 accept. */
const VERSION = '8.19.0';
/** Without it the official clients refuse every success. */
const PRODUCT = ['X-Elastic-Product', 'Elasticsearch'] as const;

/** Tells whether a client of Elasticsearch asks what it talks to. */
export const asksElastic = ({ headers }: Request): boolean =>
  /elastic/i.test(headers['user-agent'] ?? '') || (headers.accept ?? '').includes(COMPATIBLE);

export function answerElastic(req: Request, res: Response): void {
  res.setHeader(...PRODUCT);
  const about = {
    name: 'quarterdeck',
    cluster_name: 'quarterdeck',
    cluster_uuid: 'quarterdeck',
    version: {
      number: VERSION,
      build_flavor: 'default',
      build_type: 'quarterdeck',
      build_snapshot: false,
      minimum_wire_compatibility_version: '7.17.0',
      minimum_index_compatibility_version: '7.0.0',
    },
    tagline: 'You Know, for Search',
  };
  sendJson(req, res, 200, about, { type: typeOf(req) });
}

/** Stores the documents of a bulk request. */
export async function receiveBulk(deps: BulkDeps, endpoint: Endpoint, req: Request, res: Response): Promise<void> {
  const startMs = performance.now();
  acceptSenderCredential(req);
  const actor = await admit(deps, endpoint, req, res);
  const { bytes, encoding } = await readLinesBody(req, 'bulk', MAX_BODY_BYTES);
  const target = typeof req.params['index'] === 'string' ? req.params['index'] : '';
  const body = new LinesBody(bytes, 'bulk', encoding, target);
  // Only users and agents may write error logs.
  const reply = await deps.storeBulk(body, actor as LineSender, addressOf(req));
  res.setHeader(...PRODUCT);
  const took = Math.round(performance.now() - startMs);
  sendText(req, res, 200, `{"took":${took},${reply.slice(1)}`, { type: typeOf(req) });
}

/** The media type that a client asks for: the official ones name the version which they are compatible with. */
function typeOf({ headers }: IncomingMessage): string {
  const version = /compatible-with=(\d{1,2})/.exec(headers.accept ?? '')?.[1];
  return version === undefined ? 'application/json' : `${COMPATIBLE};compatible-with=${version}`;
}
