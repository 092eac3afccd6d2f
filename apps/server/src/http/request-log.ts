// One line per request at level debug. Only address, method, path and outcome: queries may hold what people typed, headers hold
// credentials. A secret of ours that somebody took for a part of the path is left out of it.
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
