// Builders of nouns for tests.
import { NOUNS, type NounName } from '@quarterdeck/core';
import type * as z from 'zod';
import { createSample } from './sample.ts';

/** Time of all samples: 2026-01-31 09:05:07 UTC, in Unix milliseconds. */
export const SAMPLE_TIME_MS = Date.UTC(2026, 0, 31, 9, 5, 7);

type ObjectName = {
  [N in NounName]: (typeof NOUNS)[N] extends z.ZodObject ? N : never;
}[NounName];

/**
 * A builder for each noun: `build.errlogEntry({ log: 'disk full' })`. What is not given has a value that fits the
 * contract. Ids count up from 1 for each noun.
 */
export type Builders = {
  readonly [N in ObjectName as Uncapitalize<N>]: (
    given?: Partial<z.output<(typeof NOUNS)[N]>>,
  ) => z.output<(typeof NOUNS)[N]>;
};

/** Options of {@link createBuilders}. */
export interface BuilderOptions {
  /** Time of the values, Unix milliseconds. */
  readonly now?: number | undefined;
}

/** Creates builders whose ids begin at 1, for tests that compare ids. */
export function createBuilders({ now = SAMPLE_TIME_MS }: BuilderOptions = {}): Builders {
  const sample = createSample(now);
  return Object.fromEntries(
    Object.entries(NOUNS)
      .filter(([, schema]) => schema.type === 'object')
      .map(([name, schema]) => [
        `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
        (given: object = {}) => ({ ...(sample(schema) as object), ...given }),
      ]),
  ) as unknown as Builders;
}

/** Builders for everyone. */
export const build: Builders = createBuilders();
