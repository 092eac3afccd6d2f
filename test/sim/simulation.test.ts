import { expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { DEFECTS, simulateSpool } from './spool-world.ts';

it('ships each line once and in order, whatever stops the agent', async () => {
  for (let seed = 1; seed <= 40; seed += 1) expect(await simulateSpool(seed)).toBeUndefined();
});

it.each(nonEmpty(DEFECTS))('finds the planted defect %s, at the same step each time', async (defect) => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const broken = await simulateSpool(seed, defect);
    if (broken === undefined) continue;
    expect(await simulateSpool(seed, defect)).toBe(broken);
    return;
  }
  expect.fail('not found');
});
