// `GET /admin-api/log_server/errlog/export`: written as it is read, and no faster than the client takes it.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '@quarterdeck/core/db';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { exportErrlog } from '../features/errlog/read/errlog.export.ts';
import { admit, type Door } from './admit.ts';
import { parseInput } from './parse.ts';
import { EXPORT } from './raw-endpoints.ts';
import { setHead } from './send.ts';

const TYPES = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;

/** Sends an export. */
export async function sendExport(deps: Door & { readonly db: Database }, req: Request, res: Response): Promise<void> {
  await admit(deps, EXPORT, req);
  const { query } = parseInput(EXPORT, { params: {}, query: req.query, body: undefined }) as {
    query: z.output<typeof EXPORT.query>;
  };
  const { format, before_id, ...filter } = query;
  setHead(res, 200, TYPES[format]);
  res.setHeader('Content-Disposition', `attachment; filename="error-logs.${format}"`);
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(exportErrlog(deps.db, filter, format, before_id)), res);
  } catch (error) {
    // The client has its head already: a connection that breaks off is the only way left to say that there is more.
    if (!res.headersSent) throw error;
    res.destroy();
  }
}
