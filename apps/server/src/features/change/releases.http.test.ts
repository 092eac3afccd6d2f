import { expect, it } from 'vitest';
import { useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { beginRelease, hasBegun } from './release.repo.ts';

const api = useApi();

it('of a service begins once, and knows the release before it', async () => {
  const { db } = api.server.deps;
  const service = word();
  const begin = (release: string, nowMs: number, keptMax?: number) =>
    db.write((tx) => beginRelease(tx, { service, environment: '', release }, nowMs, keptMax));
  expect([await begin('v1', 1), await begin('v1', 2), await begin('v2', 3)]).toEqual(['', undefined, 'v1']);
  // Of those that are too many, the oldest are forgotten.
  await begin('v3', 4, 1);
  const known = ['v1', 'v2', 'v3'].map((release) => hasBegun(db.read, { service, environment: '', release }));
  expect(await Promise.all(known)).toEqual([false, true, true]);
});
