// Builders of commands, which take names, options and summaries from the contract.
import { type Command, type EndpointName, endpointOf, type Flag, type Values } from '../command/command.ts';
import {
  BODY_FLAG,
  CHANGE_FLAGS,
  DRY_RUN,
  fieldFlags,
  LIST_FLAGS,
  outputFlags,
  SERVER_FLAGS,
} from '../command/flags.ts';
import { fieldsOf, rowFields } from '../command/output-fields.ts';
import type { Columns } from '../output/print.ts';
import type { EachSpec } from '../run/change.ts';
import type { ListSource } from '../run/rows.ts';

/** Parts of a command that no endpoint tells. */
interface Texts {
  readonly about?: string;
  readonly examples?: readonly string[];
  readonly aliases?: readonly string[];
}

/** Options of a command that prints objects of a server with these fields. */
export const printFlags = (fields: readonly string[]): Flag[] => [...outputFlags(fields), ...SERVER_FLAGS];

/** Builds a command from its parts and the texts of an endpoint. */
const withTexts = (endpoint: EndpointName, texts: Texts, rest: Omit<Command, 'about'>): Command => ({
  about: texts.about ?? endpointOf(endpoint).summary,
  ...(texts.examples === undefined ? {} : { examples: texts.examples }),
  ...(texts.aliases === undefined ? {} : { aliases: texts.aliases }),
  ...rest,
});

/** A list. With `byId` it is about the object whose id is the argument: of the path, or the field of this name. */
export function list(
  spec: ListSource & Columns & Texts & { readonly byId?: string; readonly argsAbout?: string },
): Command {
  const { endpoint, byId, argsAbout } = spec;
  const omit = ['filter', ...(byId === undefined ? [] : [byId]), ...Object.keys(spec.query ?? {})];
  return withTexts(endpoint, spec, {
    ...(byId === undefined ? {} : { args: '<id>', argsAbout: argsAbout ?? 'Id of the object' }),
    flags: [...LIST_FLAGS, ...fieldFlags(endpointOf(endpoint).query, omit), ...printFlags(rowFields(endpoint))],
    list: { endpoint, columns: [...spec.columns, ...(spec.wide ?? [])] },
    async run(invocation) {
      const { runList } = await import('../run/list.ts');
      const [id] = invocation.args;
      if (byId === undefined) return runList(invocation, spec);
      const own = byId === 'params' ? { params: { id } } : { query: { ...spec.query, [byId]: id } };
      return runList(invocation, { ...spec, ...own });
    },
  });
}

/** An answer about one object, or about none. `rows` are fields of rows that are printed below it. */
export function get(
  spec: { readonly endpoint: EndpointName; readonly byId?: boolean; readonly rows?: readonly string[] } & Texts,
): Command {
  const { endpoint, byId = true, rows = [] } = spec;
  return withTexts(endpoint, spec, {
    ...(byId ? { args: '<id>', argsAbout: 'Id of the object' } : {}),
    flags: [...fieldFlags(endpointOf(endpoint).query), ...printFlags([...rows, ...fieldsOf(endpoint)])],
    run: async (invocation) => (await import('../run/get.ts')).runGet(invocation, endpoint),
  });
}

/** A change of objects by their ids, without a body or with one from options. */
export function each(spec: EachSpec & Texts & { readonly omit?: readonly string[] }): Command {
  const { endpoint, omit = [], unit } = spec;
  const { body } = endpointOf(endpoint);
  const hasBody = Object.keys(body).length > 0;
  return withTexts(endpoint, spec, {
    args: '<id...>',
    argsAbout: `Ids of ${unit}s; - reads them from standard input`,
    flags: [
      ...fieldFlags(body, omit),
      ...(hasBody ? [BODY_FLAG] : []),
      ...CHANGE_FLAGS,
      ...printFlags(fieldsOf(endpoint)),
    ],
    async run(invocation) {
      const { runEach } = await import('../run/change.ts');
      const { bodyOf } = await import('../run/body.ts');
      const { io } = invocation.program;
      return runEach(invocation, spec, hasBody ? await bodyOf(io, body, invocation.values) : undefined);
    },
  });
}

/** A creation. `fixed` are fields that the command decides. */
export function create(
  spec: {
    readonly endpoint: EndpointName;
    readonly omit?: readonly string[];
    readonly flags?: readonly Flag[];
    readonly isRepeatable?: boolean;
    /** Fields of rows that are printed below the answer. */
    readonly rows?: readonly string[];
    /** Fields that no option gives, such as a password from a prompt. */
    readonly more?: (invocation: Parameters<Command['run']>[0]) => Promise<Values>;
  } & Texts,
): Command {
  const { endpoint, omit = [], flags = [], more, isRepeatable, rows = [] } = spec;
  const { body } = endpointOf(endpoint);
  return withTexts(endpoint, spec, {
    flags: [...fieldFlags(body, omit), ...flags, BODY_FLAG, DRY_RUN, ...printFlags([...rows, ...fieldsOf(endpoint)])],
    run: async (invocation) =>
      (await import('../run/create.ts')).runCreate(invocation, {
        endpoint,
        omit,
        isRepeatable,
        ...(more === undefined ? {} : { more }),
      }),
  });
}
