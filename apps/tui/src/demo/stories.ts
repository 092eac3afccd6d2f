// Errors of the demo with a known cause: a kernel upgrade, a deployment, a changed configuration file.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { DEPLOYED_AGO_S, limitedAgo, upgradedAgo } from './agent-story.ts';
import type { Random } from './random.ts';
import { sourceId } from './sources.ts';

/** An error that began after a change. */
interface Story {
  readonly fingerprint: string;
  readonly level: number;
  readonly service: string;
  readonly app: number;
  readonly log: string;
  readonly hosts: readonly string[];
  /** Age of the change on a host, seconds. */
  readonly changedAgo: (host: string) => number;
  /** Bounds of the time from the change to the error, seconds. */
  readonly after: readonly [least: number, most: number];
  readonly counts: readonly [least: number, most: number];
}

/** The first story begins some minutes after the kernel upgrade of its host, and also on a source without agent. */
export const STORIES: readonly Story[] = [
  {
    fingerprint: 'demo-sendfile',
    level: 3,
    service: 'nginx',
    app: 2,
    log: 'sendfile() failed (14: Bad address) while sending response to client, client: 198.51.100.20, server: img.example.com, request: "GET /assets/app.js HTTP/1.1"',
    hosts: ['edge-fra-1', 'edge-fra-2', 'edge-iad-1', 'edge-iad-2', 'gateway-fra-1', 'auth-iad'],
    changedAgo: (host) => upgradedAgo(host) ?? 5_000,
    after: [400, 1_100],
    counts: [420, 2_600],
  },
  {
    fingerprint: 'demo-currency',
    level: 4,
    service: 'checkout',
    app: 4,
    log: "TypeError: Cannot read properties of undefined (reading 'currency') at priceOf (/srv/checkout/dist/price.js:88:21)",
    hosts: ['api-fra-1', 'api-fra-2', 'api-fra-3', 'api-fra-4', 'api-sin-1'],
    changedAgo: () => DEPLOYED_AGO_S,
    after: [120, 600],
    counts: [60, 240],
  },
  {
    fingerprint: 'demo-limits',
    level: 5,
    service: 'nginx',
    app: 2,
    log: 'limiting requests, excess: 20.480 by zone "per_ip", client: 198.51.100.77, server: shop.example.com, request: "GET /v2/search HTTP/1.1"',
    hosts: ['gateway-iad-1', 'gateway-iad-2', 'gateway-iad-3'],
    changedAgo: (host) => limitedAgo(host) ?? 3_000,
    after: [30, 240],
    counts: [90, 700],
  },
];

/** Time between the first rows of two hosts of a story, seconds. */
const APART_S = 47;

/** Creates the groups of the stories. The first group is the newest of all. */
export function storyEntries(random: Random, nowS: number): Omit<ErrlogEntry, 'id'>[] {
  return STORIES.flatMap(({ fingerprint, level, service, app, log, hosts, changedAgo, after, counts }, story) =>
    hosts.map((host, index): Omit<ErrlogEntry, 'id'> => {
      const first_seen = nowS - changedAgo(host) + random.whole(...after);
      return {
        level,
        count: random.whole(...counts),
        src: sourceId(host),
        log_time: nowS - 2 - story * 11 - index * APART_S,
        log,
        first_seen,
        state: 'new',
        state_since: first_seen,
        until: '',
        app_id: app,
        node_type: 2,
        node_id: sourceId(host),
        fingerprint,
        source: host,
        host,
        service,
      };
    }),
  );
}
