// `GET /admin-api/log_server/errlog/export`: streams rows from the database at the pace of the client.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { exportErrlog } from '../features/errlog/errlog.export.ts';
import { type ListDeps, listsOf } from '../features/errlog/errlog.lists.ts';
import { type AuthDeps, admit } from './admit.ts';
import { addressOf } from './caller.ts';
import { parseInput } from './parse.ts';
import { EXPORT } from './raw-endpoints.ts';
import { setHead } from './send.ts';
import type { StreamCredentials } from './stream-credentials.ts';

const TYPES = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;

/** Dependencies of the route. */
export interface ExportDeps extends AuthDeps, ListDeps {
  readonly streamCredentials: StreamCredentials;
}

/** Sends an export; ends it when its credential ends. */
export async function sendExport(deps: ExportDeps, req: Request, res: Response): Promise<void> {
  const actor = await admit(deps, EXPORT, req);
  const { query } = parseInput(EXPORT, { params: {}, query: req.query, body: undefined }) as {
    query: z.output<typeof EXPORT.query>;
  };
  const { format, before_id, ...filter } = query;
  const isHead = req.method === 'HEAD';
  const pieces = isHead ? [] : await exportErrlog(listsOf(deps, actor), filter, format, before_id);
  setHead(res, 200, TYPES[format]);
  res.setHeader('Content-Disposition', `attachment; filename="error-logs.${format}"`);
  if (isHead) {
    res.end();
    return;
  }
  const watched = { headers: req.headers, address: addressOf(req), id: req.id, actor };
  const unwatch = deps.streamCredentials.watch(watched, () => res.destroy());
  try {
    await pipeline(Readable.from(pieces), res);
  } catch (error) {
    // The head is sent: only a broken connection still shows the client that the export is incomplete.
    if (!res.headersSent) throw error;
    res.destroy();
  } finally {
    unwatch();
  }
}
