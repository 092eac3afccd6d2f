// `POST /admin-api/webhook/{id}/callback`. Outside the contract: PagerDuty defines its body, and its signature is the
// credential.
import { AppError } from '@quarterdeck/core';
import { BODY_LIMIT, readBytes, sendEmpty } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';
import type { ReceiveCallback } from '../features/webhook/callback.ts';
import { checkNames } from './admit.ts';
import { CALLBACK } from './endpoints/raw-endpoints.ts';

export interface CallbackDeps {
  readonly receiveCallback: ReceiveCallback;
}

const ID = /^[1-9]\d{0,8}$/;

/** Receives an event of a service. */
export async function receiveCallback(deps: CallbackDeps, req: Request, res: Response): Promise<void> {
  checkNames(CALLBACK, req, res);
  const id = String(req.params['id']);
  if (!ID.test(id)) throw new AppError('not_found');
  // The signature is that of the bytes.
  const body = await readBytes(req, CALLBACK.bodyLimit ?? BODY_LIMIT);
  const signature = req.headers['x-pagerduty-signature'];
  await deps.receiveCallback({ id: Number(id), signature: signature?.toString(), body });
  sendEmpty(res, 204);
}
