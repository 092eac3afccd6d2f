// Reads what a server holds at the end of the night.
import type { Alert, ErrlogEntry, WebhookDelivery } from '../../../packages/core/src/index.ts';
import { type Clients, untilAnswered } from './calls.ts';

const PAGE = 500;
const SPAN_S = 600;

/** Reads pages until one is not full. */
async function allPages<T>(read: (page: number) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await read(page);
    all.push(...rows);
    if (rows.length < PAGE) return all;
  }
}

/** All groups of errors. */
export async function readGroups(admin: Clients): Promise<readonly ErrlogEntry[]> {
  const query = { page_size: 10_000, detail: 1 };
  return (await untilAnswered(admin, (client) => client.errlog.list({ query }))).data;
}

/** Occurrences of each service. */
export async function countsByService(admin: Clients): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { service = '', count } of await readGroups(admin))
    counts.set(service, (counts.get(service) ?? 0) + count);
  return counts;
}

/** All alerts, oldest first. */
export const readAlerts = async (admin: Clients): Promise<readonly Alert[]> =>
  (
    await allPages(async (page) => {
      const query = { page, page_size: PAGE };
      return (await untilAnswered(admin, (client) => client.alert.instances({ query }))).data;
    })
  ).reverse();

/** Deliveries of a channel, oldest first. */
export const readDeliveries = async (admin: Clients, id: number): Promise<readonly WebhookDelivery[]> =>
  (
    await allPages(async (page) => {
      const input = { params: { id }, query: { page, page_size: PAGE } };
      return (await untilAnswered(admin, (client) => client.webhook.deliveries(input))).data;
    })
  ).reverse();

/** Lines that the ledger counts as stored between two times, Unix seconds. */
export async function ledgerSum(admin: Clients, fromS: number, toS: number): Promise<number> {
  let sum = 0;
  for (let start = fromS - (fromS % 60); start <= toS; start += SPAN_S) {
    const query = { start_time: start, end_time: start + SPAN_S - 1 };
    const { data } = await untilAnswered(admin, (client) => client.ledger.list({ query }));
    for (const row of data) sum += row.stored;
  }
  return sum;
}
