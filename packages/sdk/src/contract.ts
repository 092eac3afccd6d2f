// The contract of Quarterdeck with the schemas of its answers, as "@quarterdeck/sdk/contract". The main entrance works
// without it, and without zod.
import en from 'zod/v4/locales/en.js';
import { ROUTES } from './generated/routes.ts';
import { DATA, EVENTS, ROWS } from './generated/schemas.ts';
import { type AnswerSchema, type QuarterdeckContract, type Routes, STREAMS } from './request/route.ts';

interface Schema {
  safeParse(
    data: unknown,
    options: { readonly error: ReturnType<typeof en>['localeError'] },
  ): ReturnType<AnswerSchema['safeParse']>;
}

const { localeError } = en();

/** Adds English messages, which the small variant of zod lacks. `schemaOf` makes the schema when it is used. */
const readable = (schemaOf: () => Schema): AnswerSchema => ({
  safeParse: (data) => schemaOf().safeParse(data, { error: localeError }),
});

const mapValues = <T, Out>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => Out) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));

const schemas: Readonly<Record<string, Readonly<Record<string, () => Schema>>>> = DATA;

/** Every endpoint by noun and verb, for `createClient({ contract, checkAnswers: true })`. */
export const contract: QuarterdeckContract = {
  ...mapValues(ROUTES as Routes, (table, noun) =>
    mapValues(table, (route, verb) => {
      const schema = schemas[noun]?.[verb];
      return schema === undefined ? route : { ...route, data: readable(schema) };
    }),
  ),
  [STREAMS]: {
    events: mapValues(EVENTS, readable),
    rows: { errlog: readable(ROWS.errlog), line: readable(ROWS.line) },
  },
};
