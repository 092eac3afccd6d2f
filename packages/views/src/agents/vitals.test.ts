import { build } from '@quarterdeck/sdk/testing';
import { expect, it } from 'vitest';
import { vitalsRows } from './vitals.ts';

const END = 1_795_420_800;
const START = END - 6 * 3600;
const sample = (minutesAgo: number, vitals: object) =>
  build.vitalsSample({ time: END - minutesAgo * 60, cpu: null, memory: null, load: null, disk: {}, ...vitals });
const rows = (samples: ReturnType<typeof sample>[], steps = 6) =>
  vitalsRows({ samples, startS: START, endS: END }, steps);

it('shows the highest of each step, what is over its limit, and gaps', () => {
  const [cpu, ...others] = rows([
    sample(350, { cpu: 10 }),
    sample(310, { cpu: 85 }),
    sample(10, { cpu: 30 }),
    sample(1, { cpu: 20 }),
  ]);
  expect(others).toEqual([]);
  expect(cpu).toEqual({
    label: 'CPU',
    steps: [85, null, null, null, null, 30],
    limit: 80,
    isOver: false,
    text: '20 % now, up to 85 %',
  });
  expect(rows([sample(1, { memory: 95 })])).toMatchObject([
    { label: 'Memory', isOver: true, text: '95 % now, over 90 %' },
  ]);
  expect(rows([sample(90, { cpu: 20 })])).toMatchObject([{ text: '20 % 1h30m before' }]);
  expect(rows([sample(1, { load: [6, 1, 1], cores: 2 })])).toMatchObject([
    { label: 'Load', text: '300 % now, over 100 %' },
  ]);
  expect(rows([])).toEqual([]);
});

it('says when a disk that fills will be full, each disk on its own', () => {
  const filling = Array.from({ length: 60 }, (_, i) =>
    sample(60 - i, { disk: { '/': { used: 30, free: 70 }, '/v\u001b': { used: 40 + i, free: 60 - i } } }),
  );
  expect(rows(filling)).toMatchObject([
    { label: 'Disk /', text: '30 % now' },
    { label: 'Disk /v␛', text: '99 % now, over 90 %, full in 1m' },
  ]);
});
