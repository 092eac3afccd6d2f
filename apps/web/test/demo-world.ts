// Fills a server with what the demo of the dashboard shows: errors of a fleet, hosts, a deployment, alerts.

import { watch } from '../../server/test/alert-calls.ts';
import type { TestApi } from '../../server/test/start-api.ts';
import { word } from '../../server/test/word.ts';
import { makeEntry } from '../../tui/src/demo/fleet.ts';
import { createRandom } from '../../tui/src/demo/random.ts';

/** Ids of rows that tests open. */
export interface DemoWorld {
  readonly alertId: number;
  readonly groupId: number;
}

/** Lines of the demo, and the time over which they happened. */
const LINES = 400;
const SPAN_S = 20 * 3_600;
const HOSTS = ['web-fra-1', 'web-fra-2', 'db-iad-1'];

/** Fills a server. */
export async function fillWithDemo(api: TestApi): Promise<DemoWorld> {
  const random = createRandom(7);
  const nowS = Math.floor(api.now() / 1000);
  const lines = Array.from({ length: LINES }, (_, index) => {
    const atS = nowS - Math.floor(random.next() ** 2 * SPAN_S);
    const { level, log, host, service } = makeEntry(random, index, atS);
    return { level, log, log_time: atS, host, service };
  });
  await api.admin.errlog.append({ body: lines });
  for (const name of HOSTS) {
    const { id, client } = await api.agent(name);
    if (name.startsWith('db')) await client.agent.shutdown({ params: { id } });
  }
  await api.admin.change.create({ body: { kind: 'deploy', name: 'checkout 2.9.0' } });
  const rule = await watch(api, { kind: 'errlog.new' }, { name: `new errors ${word()}` });
  const log = `TypeError: Cannot read properties of undefined (reading '${word()}')`;
  const fields = { client: '198.51.100.20', request: 'GET /cart' };
  await api.admin.errlog.append({
    body: [1, 2, 3].map((n) => ({
      level: 'error',
      log,
      service: 'checkout',
      fields: { ...fields, upstream: `api-${n}` },
    })),
  });
  await rule.round();
  const [alert] = await rule.alerts();
  return { alertId: alert?.id ?? 0, groupId: alert?.groups[0] ?? 0 };
}
