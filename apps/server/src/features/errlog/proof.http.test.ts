// Proof that a resolved error stays away.
import { expect, it } from 'vitest';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();

/** Sends lines of a service: those that fail, and others. */
async function serve(service: string, failed: number, served: number): Promise<void> {
  const line = (level: number, log: string) => ({ level, log, service, host: 'proof' });
  const lines = [
    ...Array.from({ length: failed }, () => line(4, 'no currency')),
    ...Array.from({ length: served }, (_, n) => line(7, `served ${n}`)),
  ];
  await api.admin.errlog.append({ body: lines });
}

it('is there once its service served as many lines as it took to fail ten times, and for a day', async () => {
  const service = word();
  await serve(service, 4, 36);
  const { data } = await api.admin.errlog.list({ query: { service, level: 4 } });
  const params = { id: data[0]?.id ?? 0 };
  const proof = async () => (await api.admin.errlog.get({ params })).proof;
  expect(await proof()).toBeUndefined();

  api.advance(120_000);
  await api.admin.errlog.update({ params, body: { state: 'resolved' } });
  expect(await proof()).toEqual({ state: 'unproven', seen: 0, since: expect.any(Number) });
  api.advance(120_000);
  await serve(service, 0, 100);
  expect(await proof()).toMatchObject({ state: 'unproven', seen: 100 });
  api.advance(86_400_000);
  expect(await proof()).toMatchObject({ state: 'proven', seen: 100 });

  await serve(service, 1, 0);
  expect(await proof()).toBeUndefined();
});

it('is not there without traffic, however long ago it was', async () => {
  const service = word();
  await serve(service, 4, 36);
  const { data } = await api.admin.errlog.list({ query: { service, level: 4 } });
  const params = { id: data[0]?.id ?? 0 };
  await api.admin.errlog.update({ params, body: { state: 'resolved' } });
  api.advance(86_400_000);
  expect((await api.admin.errlog.get({ params })).proof).toMatchObject({ state: 'unproven', seen: 0 });
});
