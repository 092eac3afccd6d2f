// Admission as clients see it: a lane that is full, and clients that send half a request.
import { expect, it } from 'vitest';
import { openRaw } from '../../../test/raw-socket.ts';
import { scrape } from '../../../test/scrape.ts';
import { useApi } from '../../../test/start-api.ts';

const LOGIN = '/admin-api/user/login';
/** Sign-ins at once of a server that has measured none. */
const SIGN_INS = 8;
const HALF_SENT = `POST ${LOGIN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`;

const api = useApi({}, { hasStillClock: true });

/** Fills the lane with requests of which the rest does not come. */
async function fillLane(sockets: AsyncDisposableStack): Promise<void> {
  await expect.poll(inProgress).toBe(0);
  for (let n = 0; n < SIGN_INS; n += 1) sockets.use(await openRaw(api.server.port, HALF_SENT));
  await expect.poll(inProgress).toBe(SIGN_INS);
}

const inProgress = async () =>
  Number(/^quarterdeck_admission_in_flight\{lane="sign_ins"\} (\d+)/m.exec(await scrape(api))?.[1]);
const refused = async () => Number(/^quarterdeck_refused_total\{lane="sign_ins"\} (\d+)/m.exec(await scrape(api))?.[1]);
const signIn = () =>
  api.fetch(LOGIN, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'nobody', password: 'not the password' }),
  });

it('refuses what exceeds a lane, keeps other lanes open, and passes over requests that do not arrive', async () => {
  await using sockets = new AsyncDisposableStack();
  await fillLane(sockets);
  const refusedBefore = await refused();

  const { status, headers, body } = await signIn();
  expect([status, body.status, body.err.code]).toEqual([503, 503, 'overloaded']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(headers.get('x-request-id')).toBe(body.err.request_id);
  expect(headers.get('connection')).toBe('keep-alive');
  expect(await refused()).toBe(refusedBefore + 1);
  const compat = await api.fetch('/api/v1/user/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  expect([compat.status, compat.body.status]).toEqual([200, 503]);
  await api.admin.errlog.append({ body: { level: 4, log: 'the lane of lines is open' } });
  expect((await api.admin.errlog.list({})).meta.count).toBe(1);

  // The clients had their time to send the rest.
  api.advance(1_000);
  expect((await signIn()).status).toBe(401);
  expect(await inProgress()).toBe(0);
});

it('refuses a long body of a full lane without reading all of it', async () => {
  await using sockets = new AsyncDisposableStack();
  await fillLane(sockets);
  const long = HALF_SENT.replace('Content-Length: 20', 'Content-Length: 100000000');
  await using connection = await openRaw(api.server.port, long);
  await connection.ended;
  expect(connection.text()).toMatch(/^HTTP\/1\.1 503 (?:.*\r\n)*Connection: close\r\n/);
});
