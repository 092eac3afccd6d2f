import { expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { DEFECTS } from './defects.ts';
import { runSimulation } from './run-simulation.ts';

const MANY_MS = 1_800_000;
const SOME_MS = 300_000;

it('keeps all promises in a thousand seeds', { timeout: MANY_MS }, async () => {
  expect(await runSimulation('--seeds=1-1000')).toBe('1000 seeds, 0 with a broken promise\n');
});

it('replays a seed to the byte, also behind another one', { timeout: SOME_MS }, async () => {
  const [alone, again, behind] = await Promise.all([
    runSimulation('--seed=8', '--events'),
    runSimulation('--seed=8', '--events'),
    runSimulation('--seeds=7-8', '--processes=1', '--events'),
  ]);
  expect(again).toBe(alone);
  const ofSeed = (text = '') => text.split('\n').filter((line) => line.startsWith('seed 8, '));
  expect(ofSeed(behind)).toEqual(ofSeed(alone));
  expect(ofSeed(alone).length).toBeGreaterThan(50);
});

it.each(nonEmpty(Object.keys(DEFECTS)))('finds the defect %s', { timeout: SOME_MS }, async (name) => {
  expect(await runSimulation('--seeds=1-100', '--processes=1', `--defect=${name}`)).toMatch(/^broken: seed \d+, step /);
});
