import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { DEFECTS } from './defects.ts';
import { runSimulation } from './run-simulation.ts';

it('keeps all promises while processes are killed, the network fails and disks fill up', {
  timeout: 120_000,
}, async () => {
  expect(await runSimulation('--seed=1', '--hours=0.01')).toBe('1 seeds, 0 with a broken promise\n');
});

it.each(nonEmpty(Object.entries(DEFECTS)))('can plant the defect %s', (_, changes) => {
  for (const [file, found] of changes) {
    const text = readFileSync(new URL(`../..${file}`, import.meta.url), 'utf8');
    expect(text.includes(found), `${file} has ${found}`).toBe(true);
  }
});
