// Logs one line per request at level debug: address, method, path and outcome. Queries may hold personal text and
// headers hold credentials, so neither is logged. Secrets of this server in a path are removed.
import type { Logger } from 'pino';
import { addressOf } from './caller.ts';
import { pathOf, type Step } from './steps.ts';

const SECRET = /(qd_[a-z]_)\w+/g;

/** Logs each request when it is done. */
export function requestLog(log: Logger): Step {
  return (req, res) => {
    if (!log.isLevelEnabled('debug')) return;
    const startedAt = performance.now();
    const { method } = req;
    const path = pathOf(req).replace(SECRET, '$1...');
    res.once('close', () => {
      const duration_ms = Math.round(performance.now() - startedAt);
      const address = addressOf(req);
      log.debug({ request_id: req.id, address, method, path, status: res.statusCode, duration_ms }, 'request');
    });
  };
}
