import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { editToml } from './toml-edit.ts';
import { positionOf } from './toml-nodes.ts';

const FILE = `# My settings
theme = "dark" # at night

[keys] # mine
"errlog.follow" = ["f5", 'f']

# The one that matters
[profiles.prod]
url = "https://prod.example"
unknown = 1
[profiles."a b"]
url = """
[not a header]
key = "no" """

# Shell
[[commands]]
name = "one"
more = { deep = 1, list = [1, "x ] # }", { x = 2 }] }
[[commands]]
name = 'two'
`;

describe('the position of a key', () => {
  it.each([
    [['theme'], 2, 1],
    [['keys', 'errlog.follow'], 5, 1],
    [['profiles', 'prod'], 8, 1],
    [['profiles', 'prod', 'unknown'], 10, 1],
    [['profiles', 'a b', 'url'], 12, 1],
    [['commands', '0', 'more', 'deep'], 19, 10],
    [['commands', '0', 'more', 'list', '2', 'x'], 19, 44],
    [['commands', '1', 'name'], 21, 1],
  ])('%j is line %i, column %i', (path, line, column) => {
    expect(positionOf(FILE, path)).toEqual({ line, column });
  });

  it('is that of the first key below a table without a header', () => {
    expect(positionOf('a = 1\nb.c.d = 2\n', ['b', 'c'])).toEqual({ line: 2, column: 1 });
    expect(positionOf('a = 1\n', ['b'])).toBeNull();
  });
});

describe('an edited file', () => {
  const edit = (after: (table: Record<string, never>) => object, text = FILE): string | null =>
    editToml(text, parse(text), after(parse(text) as Record<string, never>) as never);

  it('keeps comments, order and unknown keys', () => {
    expect(edit((table) => ({ ...table, theme: 'light' }))).toBe(FILE.replace('"dark"', '"light"'));
    expect(edit((table) => ({ ...table, mouse: true }))).toBe(
      FILE.replace('# at night\n', '# at night\nmouse = true\n'),
    );
    expect(edit(({ theme: _theme, ...table }) => table)).toBe(FILE.replace('theme = "dark" # at night\n', ''));
  });

  it('adds, changes and removes tables', () => {
    const profiles = parse(FILE)['profiles'] as Record<string, object>;
    expect(edit((table) => ({ ...table, profiles: { ...profiles, home: { url: 'https://home.example' } } }))).toBe(
      `${FILE}\n[profiles.home]\nurl = "https://home.example"\n`,
    );
    const red = { ...profiles, prod: { ...profiles['prod'], color: 'red' } };
    expect(edit((table) => ({ ...table, profiles: red }))).toBe(
      FILE.replace('unknown = 1\n', 'unknown = 1\ncolor = "red"\n'),
    );
    const { prod: _prod, ...others } = profiles;
    expect(edit((table) => ({ ...table, profiles: others }))).toBe(
      FILE.replace('[profiles.prod]\nurl = "https://prod.example"\nunknown = 1\n', ''),
    );
  });

  it.each([
    ['', 'mouse = true\n'],
    ['# nothing yet\n', 'mouse = true\n# nothing yet\n'],
    ['theme = "dark"', 'theme = "dark"\nmouse = true\n'],
    ['[keys]\n', 'mouse = true\n[keys]\n'],
  ])('gets a first key: %j', (text, edited) => {
    expect(edit((table) => ({ ...table, mouse: true }), text)).toBe(edited);
  });

  it('is given up where braces have no line to remove', () => {
    expect(edit(() => ({ profiles: {} }), 'profiles = { prod = { url = "x" } }\n')).toBeNull();
  });

  it('has the new values or is given up, whatever they are', () => {
    const value = fc.oneof(fc.boolean(), fc.string(), fc.integer(), fc.array(fc.string(), { maxLength: 3 }));
    const name = fc.oneof(fc.constantFrom('theme', 'mouse', 'url'), fc.string({ minLength: 1 }));
    const table = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { maxKeys: 3 })), { maxKeys: 4 });
    fc.assert(
      fc.property(table, (changes) => {
        const after = { ...parse(FILE), ...changes };
        const edited = editToml(FILE, parse(FILE), after);
        if (edited !== null) expect(parse(edited)).toEqual(after);
      }),
    );
  });
});
