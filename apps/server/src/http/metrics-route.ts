// `GET /metrics`, for Prometheus: `authorization: { credentials: <an API token> }` in its configuration.

import { setHead } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';
import { type AuthDeps, admit } from './admit.ts';
import { METRICS } from './endpoints/raw-endpoints.ts';

export interface MetricsDeps extends AuthDeps {
  readonly metrics: { readonly contentType: string; scrape(): Promise<string> };
}

export async function sendMetrics(deps: MetricsDeps, req: Request, res: Response): Promise<void> {
  await admit(deps, METRICS, req, res);
  const text = await deps.metrics.scrape();
  setHead(res, 200, deps.metrics.contentType);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(req.method === 'HEAD' ? undefined : text);
}
