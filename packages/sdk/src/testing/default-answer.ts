// Answers of a fake to what a test has not answered.
import type { Endpoint } from '@quarterdeck/core';
import type { Sample } from './sample.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Returns data that fits the endpoint: a list without rows, or one object. It has the id of the path and the fields of
 * the body, so that what was created has its name.
 */
export function defaultAnswer({ data }: Endpoint, { params, body }: Input, sample: Sample): unknown {
  const least = sample(data);
  if (typeof least !== 'object' || least === null || !('shape' in data)) return least;
  const given = Object.entries({ ...(body as object), ...(params as object) }).filter(
    ([name, value]) => name in (data.shape as object) && value !== undefined && value !== null,
  );
  const answer = { ...least, ...Object.fromEntries(given) };
  return data.safeParse(answer).success ? answer : least;
}
