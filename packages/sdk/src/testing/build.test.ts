import { NOUNS } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { build, createBuilders, SAMPLE_TIME_MS } from './build.ts';

describe('a builder', () => {
  it('exists for every noun that is an object, and its values fit the schema', () => {
    const builders: Readonly<Record<string, () => unknown>> = createBuilders();
    const faults = Object.entries(NOUNS)
      .filter(([, schema]) => schema.type === 'object')
      .flatMap(([name, schema]) => {
        const result = schema.safeParse(builders[`${name.charAt(0).toLowerCase()}${name.slice(1)}`]?.());
        return result.success ? [] : [`${name}: ${result.error.issues.map(({ path }) => path.join('.')).join(', ')}`];
      });
    expect(faults).toEqual([]);
    expect(Object.keys(builders).length).toBeGreaterThan(50);
  });

  it('takes the given values, and counts ids up', () => {
    const { agent, errlogEntry } = createBuilders();
    expect(errlogEntry({ log: 'disk full' })).toMatchObject({ id: 1, log: 'disk full', count: 1 });
    expect(errlogEntry().id).toBe(2);
    expect(agent().id).toBe(1);
  });

  it('gives the same values each time', () => {
    expect(createBuilders().apiToken()).toEqual(createBuilders().apiToken());
    expect(build.errlogEntry().log_time).toBe(SAMPLE_TIME_MS / 1000);
    expect(createBuilders({ now: 5_000 }).errlogEntry().log_time).toBe(5);
  });
});
