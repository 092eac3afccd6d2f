import { build } from '@quarterdeck/sdk/testing';
import { expect, it } from 'vitest';
import { summaryFacts } from './agent-facts.ts';

it('names the files whose lines do not tell their time or level', () => {
  const counted = { lines: 40, bytes_waiting: 0, lines_dropped: 0, lines_refused: 0 };
  const file = { path: '/var/log/odd.log', lines: 30, lines_without_time: 0, lines_without_level: 30 };
  const shipper = { files: 2, ...counted, unclear_files: [file, { ...file, path: '/b', lines_without_time: 7 }] };
  const facts = summaryFacts(build.agent({ shipper }), 0).filter(({ label }) => label === 'Unclear file');
  expect(facts.map(({ value }) => value)).toEqual([
    '/var/log/odd.log: of 30 lines 30 without a known level',
    '/b: of 30 lines 7 without a known time, 30 without a known level',
  ]);
});
