// A secret that passes through everything a server does with lines, and is erased: afterwards it is in no table, in no
// file and in no message, in any encoding.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@quarterdeck/sdk';
import { expect, it } from 'vitest';
import { readAllLines } from '../../../test/all-lines.ts';
import { filesOf, tablesOf } from '../../../test/contents.ts';
import { DIALECT, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

/** Receivers by path, with the status that they answer. Each quotes the message in its answer. */
type Statuses = Record<'/waits' | '/works', number>;

async function startReceiver() {
  const received: { path: string; body: string }[] = [];
  const statuses: Statuses = { '/waits': 500, '/works': 200 };
  const server = createServer(async (req, res) => {
    const body = await text(req);
    received.push({ path: req.url ?? '', body });
    res.writeHead(statuses[req.url as keyof Statuses] ?? 404, { 'content-type': 'text/plain' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    statuses,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const searched = (character: string) => {
  const at = ` -./:_,="()[]'@#`.indexOf(character);
  return at < 0 ? character.replace(/[A-Z]/, (letter) => letter.toLowerCase()) : 'qxzj'.charAt(at % 4);
};

/** A text in the encodings in which it may be stored, as bytes in Latin-1. */
function formsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret);
  // Of the three places at which it may begin in a group of three bytes, only whole groups are the same everywhere.
  const base64 = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(before === 0 ? 0 : 4, Math.floor((before + bytes.length) / 3) * 4);
  });
  const swapped = Buffer.from(secret, 'utf16le').swap16();
  return new Map([
    ['plain', bytes.toString('latin1')],
    ['JSON', Buffer.from(JSON.stringify(secret).slice(1, -1)).toString('latin1')],
    ['JSON in JSON', Buffer.from(JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)).toString('latin1')],
    ['percent', encodeURIComponent(secret)],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    // On PostgreSQL the search index has texts in this form (errlog_search_form).
    ['search form', Buffer.from(secret.replaceAll(/[A-Z\W_]/g, searched)).toString('latin1')],
    ['UTF-16LE', Buffer.from(secret, 'utf16le').toString('latin1')],
    ['UTF-16BE', swapped.toString('latin1')],
    ...base64.flatMap((form, at): [string, string][] => [
      [`base64 at ${at}`, form],
      [`base64url at ${at}`, form.replaceAll('+', '-').replaceAll('/', '_')],
    ]),
  ]);
}

/** Places that hold a secret, as `table x: form`. */
async function placesWith(api: TestApi, secret: string): Promise<string[]> {
  const { db } = api.server.deps;
  const lines = await readAllLines(db);
  const content = {
    ...(await tablesOf(db)),
    'table errlog_segment': Buffer.from(JSON.stringify(lines)).toString('latin1'),
    ...filesOf(api.sharing['DATA_DIR'] ?? ''),
  };
  return searchIn(content, secret);
}

function searchIn(content: Readonly<Record<string, string>>, secret: string): string[] {
  const latin = (value: string) =>
    /[\u0100-\uffff]|\u00fc/.test(value) ? Buffer.from(value).toString('latin1') : value;
  return Object.entries(content).flatMap(([place, value]) =>
    [...formsOf(secret)].flatMap(([form, bytes]) =>
      value.includes(bytes) || latin(value).includes(bytes) ? [`${place}: ${form}`] : [],
    ),
  );
}

const tablesIn = (places: readonly string[]) =>
  [...new Set(places.flatMap((place) => /^table (\w+)/.exec(place)?.[1] ?? []))].sort();

it('leaves no erased text in tables, files and messages, and sends none afterwards', async () => {
  await using receiver = await startReceiver();
  await using api = await startApi({ WEBHOOK_ALLOW: '127.0.0.1' }, { transports: undefined as never });
  const { server } = api;
  // Sessions end before the day that passes.
  const { token } = await api.admin.apiToken.create({ body: {} });
  const admin = createClient({ url: api.url, apiToken: token });
  const secret = `Zq9"ü/&+${word()}-${word()}`;
  const types = ['errlog.new', 'errlog.repeated', 'alert.firing'] as const;
  const channels: number[] = [];
  for (const path of ['/waits', '/works'])
    channels.push(
      (await admin.webhook.create({ body: { name: path, url: receiver.url(path), types: [...types] } })).id,
    );
  for (const when of [
    { kind: 'errlog.new' },
    { kind: 'errlog.count', count: 1, within: 300, per: 'group' },
    { kind: 'errlog.count', count: 1, within: 300, per: 'service' },
  ] as const)
    await admin.alert.create({ body: { name: word(), when, channels, cooldown: 0 } });
  await server.jobs.runAlerts();

  const line = (n: number) => ({
    level: 4,
    log: `login ${n} with password "${secret}" failed`,
    app_id: 7,
    service: 'shop',
    fields: { client: secret },
  });
  const send = (lines: readonly object[]) =>
    api.fetch('/admin-api/log_server/errlog', {
      method: 'POST',
      headers: { 'api-token': token, 'content-type': 'application/json', 'idempotency-key': word() },
      body: JSON.stringify(lines),
    });
  // Of a batch with a receipt, one line is refused, for a reason that must not quote it.
  expect((await send([line(1), { level: `loud ${secret}`, log: secret }])).body.data).toMatchObject({ accepted: 1 });
  await server.jobs.runAll();
  // After a day of failures a message is a dead letter.
  api.advance(25 * 3_600_000);
  await server.jobs.runAll();
  expect(
    (await send([line(2), line(3), { ...line(4), log: 'an innocent line of another group', fields: {} }])).status,
  ).toBe(200);
  await server.jobs.runAlerts();
  await server.sender.settle();
  await server.jobs.runAll();
  await send([line(5)]);

  const before = await placesWith(api, secret);
  expect(tablesIn(before)).toEqual(
    expect.arrayContaining(['alert', 'errlog', 'errlog_segment', 'event', 'webhook_delivery']),
  );
  if (DIALECT === 'postgresql') expect(before).toContain('table errlog_search: search form');
  const states = async () =>
    (await server.deps.db.read.prisma.webhookDelivery.findMany()).map(({ state, error }) => ({ state, error }));
  expect(new Set((await states()).map(({ state }) => state))).toEqual(new Set(['waiting', 'dead', 'delivered']));

  const filter = `"${secret.replace('"', '\\"')}"`;
  const counted = await admin.line.erase({ body: { filter, dry_run: true } });
  const erased = await admin.line.erase({ body: { filter } });
  expect(counted).toMatchObject({ matched: 4, erased: 0, groups: 1 });
  expect(erased).toMatchObject({ matched: 4, erased: 4, groups: 1 });
  expect(Math.min(erased.alerts, erased.messages, erased.sent)).toBeGreaterThan(0);

  expect(await placesWith(api, secret)).toEqual([]);
  const sentBefore = receiver.received.length;
  receiver.statuses['/waits'] = 200;
  api.advance(3_600_000);
  await server.sender.settle();
  await server.jobs.runAll();
  const later = receiver.received.slice(sentBefore);
  expect(later.length).toBeGreaterThan(0);
  expect(
    later.filter(({ body }) => searchIn({ body: Buffer.from(body).toString('latin1') }, secret).length > 0),
  ).toEqual([]);
  expect(await placesWith(api, secret)).toEqual([]);
  expect(searchIn({ log: api.logged.join('\n') }, secret)).toEqual([]);
  expect((await admin.line.list({ query: { app_id: 7, limit: 10 } })).data).toHaveLength(1);
  await server.stop();
  if (DIALECT === 'sqlite') expect(searchIn(filesOf(api.sharing['DATA_DIR'] ?? ''), secret)).toEqual([]);
});
