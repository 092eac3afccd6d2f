import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configPath, type Folders, statePath, writeAtomically } from '../profiles/files.ts';
import type { Profile } from '../profiles/profile.ts';
import { loadSettings, loadState, saveSettings } from './files.ts';
import { DEFAULTS, readSettings, type Settings } from './settings.ts';
import { createStateStore, readSavedState, type SavedState } from './state-store.ts';

const root = mkdtempSync(join(tmpdir(), 'quarterdeck-settings-'));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const folders = (): Folders => {
  count += 1;
  return { config: join(root, `config-${count}`), state: join(root, `state-${count}`) };
};

const CHOSEN: Settings = {
  ...DEFAULTS,
  theme: 'light',
  ascii: true,
  zone: 'utc',
  profile: 'prod',
  keys: { 'errlog.follow': ['ctrl+g'] },
  profiles: [
    {
      name: 'prod',
      url: 'https://ops.example',
      consoleUrl: 'https://console.example',
      color: 'red',
      readOnly: true,
      isProtected: true,
      tokenFile: '/run/token',
    },
  ],
};

describe('the settings', () => {
  it('are the defaults without a file', () => {
    expect(loadSettings(folders())).toEqual({ settings: DEFAULTS, themes: new Map(), problems: [] });
  });

  it('are read as they were written', () => {
    const where = folders();
    expect(saveSettings(where, CHOSEN)).toBe('written');
    expect(loadSettings(where)).toMatchObject({ settings: CHOSEN, problems: [] });
  });

  it('report unknown keys and invalid values with line and column', () => {
    const where = folders();
    const text = [
      'teme = "dark"',
      'mouse = "yes"',
      'theme = "pink"',
      'charts = "block"',
      '[keys]',
      'errlog.follow = "F"',
      '"errlog.nothing" = "x"',
      '[profiles.prod]',
      'url = "https://ops.example"',
      '  readonly = true',
      'read_only = "yes"',
      'color = "pink"',
      '[profiles."two words"]',
      'url = "https://x"',
    ];
    writeAtomically(configPath(where), text.join('\n'));
    const { settings, problems } = loadSettings(where);
    expect(problems).toEqual([
      'config.toml, line 1, column 1: unknown key teme.',
      'config.toml, line 2, column 1: mouse must be true or false.',
      expect.stringMatching(/^config\.toml, line 3, column 1: theme must be one of /),
      'config.toml, line 7, column 1: unknown command errlog.nothing.',
      'config.toml, line 10, column 3: unknown key readonly.',
      'config.toml, line 11, column 1: read_only must be true or false.',
      'config.toml, line 12, column 1: color must be one of none, red, yellow, green, blue.',
      expect.stringMatching(/^config\.toml, line 13, column 1: the name of the profile is not valid\. Use letters/),
    ]);
    expect(settings).toMatchObject({ theme: 'auto', charts: 'block', keys: { 'errlog.follow': ['F'] } });
    expect(settings.profiles.map(({ name }) => name)).toEqual(['prod']);
  });

  it('are changed in the file as it is now, which keeps comments, unknown keys and commands', () => {
    const where = folders();
    const text = [
      '# At night',
      'theme = "dark" # or light',
      'unknown = 1',
      '',
      '[[commands]] # mine',
      'name = "Ping"',
      '',
      '[profiles.prod]',
      'url = "https://ops.example" # the one',
      'note = "keep me"',
      '',
    ].join('\n');
    writeAtomically(configPath(where), text);
    const before = loadSettings(where).settings;
    // Changed in an editor meanwhile.
    writeFileSync(configPath(where), text.replace('unknown = 1', 'unknown = 2'));
    const [prod] = before.profiles;
    const profiles = [{ ...(prod as Profile), color: 'red' as const }];
    expect(saveSettings(where, { ...before, theme: 'light', profiles }, before)).toBe('written');
    expect(readFileSync(configPath(where), 'utf8')).toBe(
      `${text.replace('"dark"', '"light"').replace('unknown = 1', 'unknown = 2')}color = "red"\n`,
    );
  });

  it('leave what they could not read as it is', () => {
    const where = folders();
    const text = 'theme = "pink"\nprofile = 3\nprofiles = "none"\nmouse = false\n';
    writeAtomically(configPath(where), text);
    const before = loadSettings(where).settings;
    expect(saveSettings(where, { ...before, mouse: true }, before)).toBe('written');
    expect(readFileSync(configPath(where), 'utf8')).toBe(text.replace('false', 'true'));
  });

  it.each([[null], [[]], ['text'], [{ keys: null, profiles: null }]])('survive %j', (table) => {
    expect(readSettings(table).settings).toEqual(DEFAULTS);
  });

  it('are readable by their owner only', () => {
    const where = folders();
    saveSettings(where, CHOSEN);
    expect(statSync(configPath(where)).mode & 0o777).toBe(0o600);
    expect(statSync(where.config).mode & 0o777).toBe(0o700);
  });

  it('are written to the file behind a symbolic link', () => {
    const where = folders();
    const elsewhere = join(root, 'elsewhere.toml');
    writeFileSync(elsewhere, '# mine\n');
    saveSettings(where, DEFAULTS);
    rmSync(configPath(where));
    symlinkSync(elsewhere, configPath(where));
    expect(saveSettings(where, { ...DEFAULTS, mouse: true })).toBe('written');
    expect(readFileSync(elsewhere, 'utf8')).toBe('mouse = true\n# mine\n');
  });

  it('report that they cannot be written', () => {
    const where = folders();
    expect(writeAtomically(where.config, 'a file where a folder should be')).toBe(true);
    expect(saveSettings(where, CHOSEN)).toBe('failed');
  });
});

describe('the state between runs', () => {
  it('survives a damaged file', () => {
    const where = folders();
    writeAtomically(statePath(where), '{"screen": "errlog", "lists"');
    expect(loadState(where)).toBeNull();
    expect(readFileSync(`${statePath(where)}.damaged`, 'utf8')).toContain('errlog');
  });

  it.each([[null], [3], [[]], [{ lists: [], commands: 'x', filters: [1, null], screen: 'moon' }]])(
    'is nothing after %j',
    (value) => {
      expect(readSavedState(value)).toEqual({
        screen: null,
        lists: {},
        commands: [],
        filters: [],
        views: {},
        bookmarks: [],
      });
    },
  );

  it('is written after a change, without overlong lines', () => {
    let writes = 0;
    const store = createStateStore(null, () => {
      writes += 1;
    });
    const choices = {
      sort: [],
      order: [],
      hidden: ['ip'],
      shown: [],
      widths: {},
      facetsOpen: false,
      detail: 'closed',
    } as const;
    store.setList('agents', choices);
    store.setList('agents', { ...choices });
    store.setScreen('agents');
    store.setScreen('agents');
    store.remember('filters', 'x'.repeat(501));
    expect(writes).toBe(2);
    store.remember('filters', 'x'.repeat(500));
    expect(store.get().filters).toEqual(['x'.repeat(500)]);
  });

  it('is restored', () => {
    let saved: SavedState | undefined;
    const store = createStateStore(null, (state) => {
      saved = state;
    });
    store.setScreen('agents');
    store.setList('agents', {
      sort: [{ id: 'host', down: true }],
      order: [],
      hidden: ['ip'],
      shown: ['created'],
      widths: { host: 30 },
      facetsOpen: true,
      detail: 'full',
    });
    store.remember('commands', 'logs');
    store.remember('commands', 'agents');
    store.remember('commands', 'logs');
    store.remember('commands', '   ');
    const again = readSavedState(JSON.parse(JSON.stringify(saved)));
    expect(again.screen).toBe('agents');
    // Nobody wants to begin with one row on the whole screen.
    expect(again.lists['agents']).toEqual({
      sort: [{ id: 'host', down: true }],
      order: [],
      hidden: ['ip'],
      shown: ['created'],
      widths: { host: 30 },
      facetsOpen: true,
      detail: 'closed',
    });
    expect(again.commands).toEqual(['agents', 'logs']);
  });
});
