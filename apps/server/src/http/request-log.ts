// One line per request at level debug. Only method, path and outcome: queries may hold what people typed, headers hold
// credentials.
import type { Logger } from 'pino';
import type { Step } from './steps.ts';

/** Logs each request when it is done. */
export function requestLog(log: Logger): Step {
  return (req, res) => {
    if (!log.isLevelEnabled('debug')) return;
    const startedAt = performance.now();
    const { method, path } = req;
    res.once('close', () => {
      const duration_ms = Math.round(performance.now() - startedAt);
      log.debug({ request_id: req.id, method, path, status: res.statusCode, duration_ms }, 'request');
    });
  };
}
