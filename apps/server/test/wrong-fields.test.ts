// The schemas of bodies, with each kind of wrong value in each field. `bad-input.http.test.ts` sends such bodies.
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { bodySchema, exampleOf, fieldsOf, jsonSchemaOf, WITH_BODY } from './endpoints.ts';
import { put, wrongValues } from './wrong-values.ts';

// The intake has further limits for each line.
const withSchema = WITH_BODY.filter(({ endpoint }) => endpoint.consumes !== 'lines');

describe.each(nonEmpty(withSchema))('the schema of the body of $method $path ($name)', (route) => {
  it('refuses any wrong field by its name', () => {
    const schema = bodySchema(route);
    const largest = exampleOf(schema, 'largest');
    const taken = fieldsOf(jsonSchemaOf(schema)).flatMap(({ path, ...field }) =>
      wrongValues({ path, ...field }).filter((value) => {
        const { error } = schema.safeParse(put(largest, path, value));
        return error?.issues.every((issue) => issue.path.join('.') === path.join('.')) !== true;
      }),
    );
    expect(taken).toEqual([]);
  });
});
