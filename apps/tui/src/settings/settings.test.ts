import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  configPath,
  type Folders,
  loadSettings,
  loadState,
  saveSettings,
  statePath,
  writeAtomically,
} from './files.ts';
import { DEFAULTS, readSettings, type Settings, settingsTable } from './settings.ts';
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
    expect(loadSettings(folders())).toEqual({ settings: DEFAULTS, problems: [] });
  });

  it('are read as they were written', () => {
    const where = folders();
    expect(saveSettings(where, CHOSEN)).toBe(true);
    expect(loadSettings(where)).toEqual({ settings: CHOSEN, problems: [] });
    expect(settingsTable(DEFAULTS)).toEqual({});
  });

  it('ignore and report invalid entries', () => {
    const { settings, problems } = readSettings({
      theme: 'pink',
      ascii: 'yes',
      charts: 'block',
      keys: { 'errlog.follow': 'F', 'no.such': ['x'], 'errlog.pause': 3 },
      profiles: { prod: { url: 'https://ops.example' }, 'bad name': { url: 'https://x' }, none: {} },
    });
    expect(settings).toMatchObject({ theme: 'auto', ascii: false, charts: 'block', keys: { 'errlog.follow': ['F'] } });
    expect(settings.profiles.map(({ name }) => name)).toEqual(['prod']);
    expect(problems).toHaveLength(6);
  });

  it.each([[null], [[]], ['text'], [{ keys: null, profiles: null }]])('survive %j', (table) => {
    expect(readSettings(table).settings).toEqual(DEFAULTS);
  });

  it('survive a damaged file and keep a copy of it', () => {
    const where = folders();
    expect(saveSettings(where, DEFAULTS)).toBe(true);
    writeFileSync(configPath(where), 'theme = [unfinished');
    const { settings, problems } = loadSettings(where);
    expect(settings).toEqual(DEFAULTS);
    expect(problems[0]).toContain('not valid TOML');
    expect(saveSettings(where, CHOSEN)).toBe(true);
    expect(readFileSync(`${configPath(where)}.damaged`, 'utf8')).toBe('theme = [unfinished');
    expect(loadSettings(where).settings.theme).toBe('light');
  });

  it('are readable by their owner only', () => {
    const where = folders();
    saveSettings(where, CHOSEN);
    expect(statSync(configPath(where)).mode & 0o777).toBe(0o600);
    expect(statSync(where.config).mode & 0o777).toBe(0o700);
  });

  it('report that they cannot be written', () => {
    const where = folders();
    expect(writeAtomically(where.config, 'a file where a folder should be')).toBe(true);
    expect(saveSettings(where, CHOSEN)).toBe(false);
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
      expect(readSavedState(value)).toEqual({ screen: null, lists: {}, commands: [], filters: [] });
    },
  );

  it('is written after a change, without overlong lines', () => {
    let writes = 0;
    const store = createStateStore(null, () => {
      writes += 1;
    });
    const choices = { sort: [], order: [], hidden: ['ip'], widths: {}, facetsOpen: false, detail: 'closed' } as const;
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
      widths: { host: 30 },
      facetsOpen: true,
      detail: 'closed',
    });
    expect(again.commands).toEqual(['agents', 'logs']);
  });
});
