// Exports at once, and clients that leave them.
import { beforeEach, expect, it, vi } from 'vitest';
import { errlogCalls } from '../../test/errlog-calls.ts';
import { PATIENCE } from '../../test/patience.ts';
import { scrape } from '../../test/scrape.ts';
import { useApi } from '../../test/start-api.ts';
import { LINE_EXPORT } from './endpoints/raw-endpoints.ts';

const MAX = 20;

const api = useApi();

const { append } = errlogCalls(() => api);

/** Lets exports begin, which then find no lines; until then they wait for the first ones. */
let open: () => void;
let reads: ReturnType<typeof holdReads>;
beforeEach(() => {
  reads = holdReads();
  return () => {
    open();
    reads.mockRestore();
  };
});

function holdReads() {
  const gate = Promise.withResolvers<void>();
  open = gate.resolve;
  return vi.spyOn(api.server.deps.lineReads, 'newerThan').mockImplementation(async (last) => {
    await gate.promise;
    return { data: [], last, atEnd: true };
  });
}

const get = (headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(api.url + LINE_EXPORT.path, { headers, ...init });

it('runs twenty for one user with all credentials, and refuses more until one ends', async () => {
  const [person, somebody] = [await api.person('viewer'), await api.person('viewer')];
  const { token } = await person.client.apiToken.create({ body: {} });
  const credentials = [{ 'edge-token': person.token }, { 'API-Token': token }] as const;
  const answers = Array.from({ length: MAX + 5 }, (_, n) => get(credentials[n % 2 === 0 ? 0 : 1]));
  const refused: Response[] = [];
  for (const answer of answers) void answer.then((response) => response.status === 429 && refused.push(response));
  await vi.waitFor(() => expect(refused).toHaveLength(5), PATIENCE);
  for (const response of refused) {
    expect(response.headers.get('retry-after')).toBe('10');
    expect(await response.json()).toMatchObject({
      status: 429,
      err: { code: 'export_limit_reached', detail: 'At most 20 exports at this server.' },
    });
  }
  const ofAnother = get({ 'edge-token': somebody.token });
  // The head of an export is none.
  expect((await get(credentials[0], { method: 'HEAD' })).status).toBe(200);
  await vi.waitFor(() => expect(reads).toHaveBeenCalledTimes(MAX + 1), PATIENCE);
  open();
  const all = await Promise.all([...answers, ofAnother]);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(MAX + 1);
  for (const response of all) if (!response.bodyUsed) await response.text();
  expect((await get(credentials[0])).status).toBe(200);
});

it('is no failure of the server where its client leaves before it begins', async () => {
  const headers = { 'edge-token': (await api.person('viewer')).token };
  const log = 'a line that nobody reads';
  await append([{ level: 4, log }]);
  const leaving = new AbortController();
  const answers = Array.from({ length: MAX }, () => get(headers, { signal: leaving.signal }));
  await vi.waitFor(() => expect(reads).toHaveBeenCalledTimes(MAX), PATIENCE);
  leaving.abort();
  await Promise.allSettled(answers);
  const inFlight = async () => /^quarterdeck_http_requests_in_flight (\d+)$/m.exec(await scrape(api))?.[1];
  await expect.poll(inFlight).toBe('1');
  open();
  reads.mockRestore();
  // It comes after the others, and their places are free.
  expect(await (await get(headers)).text()).toContain(log);
  expect(api.logged.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  expect(await scrape(api)).not.toMatch(/^quarterdeck_http_stream_.*status="5\d\d"/m);
});
