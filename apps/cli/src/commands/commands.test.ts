import { contract, type Endpoint } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { orderArguments } from '../command/arguments.ts';
import { type Command, type Entry, endpointOf, isNoun, optionName } from '../command/command.ts';
import { readConfig } from '../command/config.ts';
import { exampleText, parserOf } from '../command/parser.ts';
import { createProgram } from '../command/program.ts';
import { ENTRIES } from './index.ts';

const commands: [path: string, command: Command][] = Object.entries(ENTRIES).flatMap(([name, entry]) =>
  isNoun(entry)
    ? Object.entries(entry.verbs).map(([verb, command]): [string, Command] => [`${name} ${verb}`, command])
    : [[name, entry]],
);

/** Splits a command line as a shell does, up to the first pipe or redirection behind the program. */
function words(line: string): string[] {
  const found = [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"()]+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  const from = found.lastIndexOf('quarterdeck') + 1;
  const end = found.findIndex((word, at) => at >= from && /^(?:[|<>]|&&)/.test(word));
  return found.slice(from, end < 0 ? undefined : end);
}

/** The same commands, which only note what they were called with. */
function recording(): { entries: Record<string, Entry>; called: () => unknown } {
  let last: unknown;
  const note = (path: string, command: Command): Command => ({
    ...command,
    async run({ args, values }) {
      last = { path, args, values };
      return undefined;
    },
  });
  const entries = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]): [string, Entry] => [
      name,
      isNoun(entry)
        ? {
            ...entry,
            verbs: Object.fromEntries(Object.entries(entry.verbs).map(([v, c]) => [v, note(`${name} ${v}`, c)])),
          }
        : note(name, entry),
    ]),
  );
  return { entries, called: () => last };
}

const program = createProgram(process, readConfig({ QUARTERDECK_KEYRING: 'off' }));

describe('every command', () => {
  it.each(nonEmpty(commands))('%s has no two options of the same name', (_path, { flags }) => {
    const names = flags.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    const shorts = flags.flatMap(({ short }) => short ?? []);
    expect(shorts).toEqual([...new Set(shorts)]);
  });

  it.each(nonEmpty(commands.flatMap(([path, { examples = [] }]) => examples.map((example) => [path, example]))))(
    '%s: its example %s is understood',
    async (path, example) => {
      const { entries, called } = recording();
      const line = words(exampleText(example));
      expect(await parserOf(entries, program)(orderArguments(line))).toBe(0);
      expect(called()).toMatchObject({ path: expect.stringContaining(path.split(' ')[0] ?? '') });
    },
  );

  it('has an option for each field of its endpoint that it does not decide', () => {
    const list = ENTRIES['errors'];
    const flags = list !== undefined && isNoun(list) ? (list.verbs['list']?.flags ?? []) : [];
    const names = flags.map(({ name }) => name);
    for (const name of Object.keys(endpointOf('errlog.list').query)) expect(names).toContain(name);
  });
});

describe('the columns of a list', () => {
  const members = (schema: z.core.JSONSchema.BaseSchema, path: string): boolean => {
    const [head = '', ...rest] = path.split('.');
    const choice = schema.anyOf?.map((one) => one as z.core.JSONSchema.BaseSchema) ?? [schema];
    return choice.some((one) => {
      const member = one.properties?.[head] as z.core.JSONSchema.BaseSchema | undefined;
      return member !== undefined && (rest.length === 0 || members(member, rest.join('.')));
    });
  };

  it.each(nonEmpty(commands.filter(([, { list }]) => list !== undefined)))(
    '%s are fields of the contract',
    (_path, { list }) => {
      const [noun = '', verb = ''] = list?.endpoint.split('.') ?? [];
      const endpoint = (contract as Record<string, Record<string, Endpoint>>)[noun]?.[verb];
      const data = z.toJSONSchema(endpoint?.data ?? z.never(), { io: 'output', unrepresentable: 'any' });
      const rows = (endpoint?.bareList === true ? data : data.properties?.['data']) as z.core.JSONSchema.BaseSchema;
      for (const column of list?.columns ?? []) {
        expect(members(rows.items as z.core.JSONSchema.BaseSchema, column), column).toBe(true);
      }
    },
  );
});

describe('names of options', () => {
  it('are those of the contract, with dashes or as they are there', async () => {
    expect(optionName('level_max')).toBe('--level-max');
    const { entries, called } = recording();
    await parserOf(entries, program)(orderArguments(['errors', '--level_max=error']));
    expect(called()).toEqual({ path: 'errors list', args: [], values: { level_max: 4 } });
    await parserOf(entries, program)(orderArguments(['--profile', 'prod', 'errors', 'get', '--', '--level_max']));
    expect(called()).toEqual({ path: 'errors get', args: ['--level_max'], values: { profile: 'prod' } });
    expect(orderArguments(['-o', 'json', 'errors', 'list'])).toEqual(['errors', 'list', '-o', 'json']);
    expect(orderArguments(['help', 'errors', 'list'])).toEqual(['errors', 'list', '--help']);
  });
});
