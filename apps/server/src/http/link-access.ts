// Requests with the key of a read-only link (wire contract section 12). A link may read what is listed here, and
// nothing else: whatever is missing is refused.
import type { IncomingMessage } from 'node:http';
import { AppError, contract } from '@quarterdeck/core';
import { pathOf } from '@quarterdeck/express/parts';
import type { LinkSubject } from '../features/link/link.repo.ts';

const READS: Readonly<Record<LinkSubject['subject'], readonly string[]>> = {
  alert: [contract.alert.instance.path],
  errlog: [contract.errlog.get.path, contract.errlog.occurrences.path, contract.errlog.changes.path],
};

/** @throws AppError `forbidden` for a request that a link to this subject does not show */
export function checkShows({ subject, subjectId }: LinkSubject, req: IncomingMessage): void {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  const path = pathOf(req).replace(/\/$/, '');
  if (isRead && READS[subject].some((one) => one.replace('{id}', String(subjectId)) === path)) return;
  throw new AppError('forbidden', { message: 'This link shows something else.' });
}
