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
  const { format, ...filter } = query;
  res.statusCode = 200;
  res.setHeader('Content-Type', TYPES[format]);
  res.setHeader('Content-Disposition', `attachment; filename="error-logs.${format}"`);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(exportErrlog(deps.db, filter, format)), res);
  } catch (error) {
    // The client has its head already: a connection that breaks off is the only way left to say that there is more.
    if (!res.headersSent) throw error;
    res.destroy();
  }
}
