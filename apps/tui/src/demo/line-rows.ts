// Demo: the stored lines of the errors. The lines of a group differ in their clients, upstreams and requests.
import type { ErrlogEntry, Line } from '@quarterdeck/core';
import { createRandom, type Random } from './random.ts';

/** Lines of a group at most. */
const LINES_PER_GROUP = 16;
/** Clients that send most of the requests. */
const BUSY_CLIENTS = ['198.51.100.7', '198.51.100.23', '203.0.113.80'];

/** Parts of an nginx line that carry their name. */
export const fieldsOf = (log: string): Record<string, string> =>
  Object.fromEntries(
    [...log.matchAll(/, (client|server|request|upstream|tenant): ("[^"]*"|[^,]+)/g)].map((match) => [
      match[1] ?? '',
      (match[2] ?? '').replaceAll('"', ''),
    ]),
  );

/** The text of another line of the same error. */
const varied = (log: string, random: Random): string =>
  log
    .replace(/client: [\d.]+/, () => {
      const client = random.chance(0.5) ? random.pick(BUSY_CLIENTS) : `198.51.100.${random.whole(1, 254)}`;
      return `client: ${client}`;
    })
    .replace(
      /upstream: "http:\/\/[^/"]+/,
      () => `upstream: "http://10.20.${random.whole(4, 5)}.${random.whole(17, 19)}:8080`,
    )
    .replace(/request: "(\w+) \/[^ ]*/, (_, method: string) => {
      const path = random.pick(['/v1/orders', '/v1/cart/items', '/login', '/v2/search', '/checkout']);
      return `request: "${method} ${path}`;
    });

const hexOf = (random: Random): string =>
  Array.from({ length: 3 }, () => random.whole(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')).join('');

/** A line of a group. */
function lineOf(
  { id: group, level, src, source = '', app_id = 0, service = '' }: ErrlogEntry,
  given: Pick<Line, 'id' | 'time' | 'log'>,
  random: Random,
): Line {
  const { log } = given;
  const fields = fieldsOf(log);
  return {
    ...given,
    level,
    fields,
    group,
    src,
    source,
    host: source,
    service,
    app_id,
    req_id: hexOf(random),
    count: 1,
  };
}

/** The lines of one group without ids, the newest first and with the text of the group. */
function linesOfGroup(entry: ErrlogEntry): Line[] {
  const random = createRandom(entry.id + 1_000);
  const first = entry.first_seen ?? entry.log_time;
  let time = entry.log_time;
  return Array.from({ length: Math.min(entry.count, LINES_PER_GROUP) }, (_, index) => {
    if (index > 0)
      time = Math.max(first, time - random.whole(1, Math.max(2, Math.ceil((entry.log_time - first) / 40))));
    return lineOf(entry, { id: '', time, log: index === 0 ? entry.log : varied(entry.log, random) }, random);
  });
}

/** Creates the lines of all groups, newest first. */
export function makeLines(entries: readonly ErrlogEntry[]): Line[] {
  const lines = entries.flatMap(linesOfGroup).sort((a, b) => b.time - a.time);
  return lines.map((line, index) => ({ ...line, id: String(lines.length - index) }));
}

/** A line of a group that has just occurred. */
export function newestLine(entry: ErrlogEntry, lines: readonly Line[], random: Random): Line {
  const id = String(Number(lines[0]?.id ?? 0) + 1);
  return lineOf(entry, { id, time: entry.log_time, log: varied(entry.log, random) }, random);
}
