import { describe, expect, it } from 'vitest';
import { endpointOf } from './command.ts';
import { describeFlag, FORMATS, fieldFlags, LIST_FLAGS, OUTPUT_FLAGS } from './flags.ts';

const about = (endpoint: 'errlog.list' | 'apiToken.create', slot: 'query' | 'body', name: string): string => {
  const flag = fieldFlags(endpointOf(endpoint)[slot]).find((one) => one.name === name);
  return flag === undefined ? 'no such option' : describeFlag(flag);
};

describe('the help of an option', () => {
  it('tells the values as people type them', () => {
    expect(about('errlog.list', 'query', 'start_time')).toBe(
      'Groups that happened at this time or later (2h, 2026-01-31, an ISO time or Unix seconds)',
    );
    expect(about('apiToken.create', 'body', 'expire')).toBe('90d, 2027-01-31, an ISO time or never');
    expect(about('errlog.list', 'query', 'level')).toMatch(/^This level exactly \(stderr, .*, debug\)$/);
    expect(about('errlog.list', 'query', 'sort')).toContain('-log_time, log_time');
  });

  it('repeats no value that it has named', () => {
    const output = OUTPUT_FLAGS.find(({ name }) => name === 'output');
    expect(output && describeFlag(output)).toBe(`${FORMATS.join(', ')}; default table`);
    const since = LIST_FLAGS.find(({ name }) => name === 'since');
    expect(since && describeFlag(since)).toBe(since?.about);
  });
});
