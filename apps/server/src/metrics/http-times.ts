// Times of requests by route. A route is the path of the contract with its placeholders, so that neither an id nor a
// made-up path becomes a label.
import { Durations } from '@quarterdeck/core/db';
import type { Step } from '@quarterdeck/express/parts';
import { EVENTS, EXPORT, LINE_EXPORT } from '../http/endpoints/raw-endpoints.ts';
import { routeOf } from '../http/endpoints/route-of.ts';
import { type Family, histogram, type Labels, single } from './family.ts';

const SHORT_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;
const LONG_BOUNDS = [1, 10, 60, 600, 3_600, 14_400, 86_400] as const;

/** Answers that last as long as their client wants, or as their data needs. */
const LONG: ReadonlySet<string> = new Set([EVENTS.path, EXPORT.path, LINE_EXPORT.path]);
/** Status of a request whose client left before the answer, as nginx logs it. */
const CLIENT_LEFT = 499;
const REFUSED_METHOD = 405;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);
const OTHER_METHOD = 'other';

/** Requests of one route. */
interface RouteTimes {
  readonly route: string;
  readonly bounds: readonly number[];
  /** Method -> status -> durations. */
  readonly byMethod: Map<string, Map<number, Durations>>;
}

/** Times of the requests of one server. */
export interface HttpTimes {
  /** Measures each request. It comes before all other steps. */
  readonly step: Step;
  readonly families: readonly Family[];
}

/** Creates {@link HttpTimes}. */
export function createHttpTimes(): HttpTimes {
  const routes = new Map<string, RouteTimes>();
  let inFlight = 0;

  const timesOf = (route: string): RouteTimes => {
    let times = routes.get(route);
    if (times === undefined) {
      times = { route, bounds: LONG.has(route) ? LONG_BOUNDS : SHORT_BOUNDS, byMethod: new Map() };
      routes.set(route, times);
    }
    return times;
  };

  const count = (route: string, method: string, status: number, ms: number): void => {
    const { byMethod, bounds } = timesOf(route);
    // A refused method is of the client's choice.
    const label = METHODS.has(method) && status !== REFUSED_METHOD ? method : OTHER_METHOD;
    let byStatus = byMethod.get(label);
    if (byStatus === undefined) {
      byStatus = new Map();
      byMethod.set(label, byStatus);
    }
    let durations = byStatus.get(status);
    if (durations === undefined) {
      durations = new Durations(bounds);
      byStatus.set(status, durations);
    }
    durations.add(ms);
  };

  function* all(isLong: boolean): Iterable<readonly [Labels, Durations]> {
    for (const { route, byMethod } of routes.values()) {
      if (LONG.has(route) !== isLong) continue;
      for (const [method, byStatus] of byMethod) {
        for (const [status, durations] of byStatus) yield [{ route, method, status }, durations];
      }
    }
  }

  return {
    step: (req, res) => {
      const startMs = performance.now();
      inFlight += 1;
      res.once('close', () => {
        inFlight -= 1;
        const status = res.headersSent ? res.statusCode : CLIENT_LEFT;
        count(routeOf(req), req.method ?? '', status, performance.now() - startMs);
      });
    },
    families: [
      histogram('quarterdeck_http_request_duration_seconds', 'Time from a request to the end of its answer', () =>
        all(false),
      ),
      histogram('quarterdeck_http_stream_duration_seconds', 'Time for which event streams and exports were open', () =>
        all(true),
      ),
      single(
        'gauge',
        'quarterdeck_http_requests_in_flight',
        'Requests that wait for the end of their answer',
        () => inFlight,
      ),
    ],
  };
}
