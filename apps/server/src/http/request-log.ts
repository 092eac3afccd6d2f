// One line per request at level debug. Only method, path and outcome: queries may hold what people typed, headers hold
// credentials.
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** Logs each request when it is done. */
export function requestLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    if (!log.isLevelEnabled('debug')) return next();
    const startedAt = performance.now();
    const { method, path } = req;
    res.once('close', () => {
      const duration_ms = Math.round(performance.now() - startedAt);
      log.debug({ request_id: req.id, method, path, status: res.statusCode, duration_ms }, 'request');
    });
    next();
  };
}
