// Exports: stream rows from the database at the pace of the client.
import { type Actor, type Endpoint, parseInput } from '@quarterdeck/core';
import { admitUnsent, holdUnsent, setHead } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { exportAudit } from '../features/audit/audit.export.ts';
import { exportErrlog } from '../features/errlog/errlog.export.ts';
import { exportLines } from '../features/line/line.export.ts';
import { lineQueryOf } from '../features/line/line.service.ts';
import { accessOf, type ListDeps, linesWithin, listsOf, searcherOf } from '../features/seen-sources.ts';
import { type AuthDeps, admit } from './admit.ts';
import { addressOf } from './caller.ts';
import { takesMore } from './drained.ts';
import { AUDIT_EXPORT, EXPORT, LINE_EXPORT } from './endpoints/raw-endpoints.ts';
import type { StreamCredentials } from './stream-credentials.ts';
import type { UserLimit } from './user-limit.ts';

const TYPES = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;

/** Bytes that an export holds beside its unsent text: the rows it has read. */
const READ_BYTES = 256 * 1024;

/** Dependencies of the routes. */
export interface ExportDeps extends AuthDeps, ListDeps {
  readonly streamCredentials: StreamCredentials;
  readonly exportLimit: UserLimit;
}

/** An export: the name of its file without the ending, and its text in pieces. */
interface ExportFile<Q> {
  readonly name: string;
  readonly pieces: (query: Q, actor: Actor) => AsyncGenerator<string>;
}

/** Sends the groups of error logs. */
export const sendExport = (deps: ExportDeps, req: Request, res: Response): Promise<void> =>
  sendFile(deps, EXPORT, req, res, {
    name: 'error-logs',
    pieces: ({ format, before_id, ...filter }: z.output<typeof EXPORT.query>, actor) =>
      exportErrlog(listsOf(deps, actor), filter, format, before_id),
  });

/** Sends stored lines. */
export const sendLineExport = (deps: ExportDeps, req: Request, res: Response): Promise<void> =>
  sendFile(deps, LINE_EXPORT, req, res, {
    name: 'lines',
    pieces: ({ format, after_id: afterId, ...filter }: z.output<typeof LINE_EXPORT.query>, actor) =>
      exportLines(deps.lineReads, {
        query: linesFor(deps, filter, actor),
        format,
        afterId,
        searcher: searcherOf(actor),
      }),
  });

const linesFor = async ({ db }: ExportDeps, filter: Parameters<typeof lineQueryOf>[0], actor: Actor) =>
  linesWithin(lineQueryOf(filter), await accessOf(db, actor));

/** Sends the audit log. */
export const sendAuditExport = (deps: ExportDeps, req: Request, res: Response): Promise<void> =>
  sendFile(deps, AUDIT_EXPORT, req, res, {
    name: 'audit',
    pieces: ({ after }: z.output<typeof AUDIT_EXPORT.query>) => exportAudit(deps.db, after),
  });

/** Sends an export; ends it when its credential ends. */
async function sendFile<Q extends { format: keyof typeof TYPES }>(
  deps: ExportDeps,
  endpoint: Endpoint,
  req: Request,
  res: Response,
  { name, pieces }: ExportFile<Q>,
): Promise<void> {
  const actor = await admit(deps, endpoint, req, res);
  const { query } = parseInput(endpoint, { params: {}, query: req.query, body: undefined }) as { query: Q };
  const begin = () => {
    setHead(res, 200, TYPES[query.format]);
    res.setHeader('Content-Disposition', `attachment; filename="${name}.${query.format}"`);
  };
  if (req.method === 'HEAD') {
    begin();
    res.end();
    return;
  }
  deps.exportLimit.count(req, res, actor);
  admitUnsent(res, READ_BYTES);
  const watched = { headers: req.headers, address: addressOf(req), id: req.id, actor };
  const unwatch = deps.streamCredentials.watch(watched, () => res.destroy());
  try {
    // A failure before the first piece is answered as one. Later only a broken connection shows it.
    for await (const piece of pieces(query, actor)) {
      if (res.destroyed) return;
      if (!res.headersSent) begin();
      res.write(piece);
      holdUnsent(res, READ_BYTES + res.writableLength);
      if (!(await takesMore(res))) return;
    }
    if (!res.headersSent) begin();
    res.end();
  } finally {
    unwatch();
  }
}
