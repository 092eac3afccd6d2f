// The settings files as the user of the dashboard meets them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configPath, type Folders } from '../src/profiles/files.ts';
import { loadSettings } from '../src/settings/files.ts';
import { LIGHT } from '../src/theme/palettes.ts';
import { themeFor } from '../src/theme/theme.ts';
import { openTui, renderTui } from './render-tui.tsx';

let folders: Folders;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-files-'));
  folders = { config: join(root, 'config'), state: join(root, 'state') };
});
afterEach(() => rmSync(dirname(folders.config), { recursive: true }));

/** Writes a file of the configuration folder. */
function write(name: string, ...lines: readonly string[]): void {
  const path = join(folders.config, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

describe('the settings file', () => {
  it('with several problems tells how many, and lists them', async () => {
    write('config.toml', 'teme = "dark"', 'mouse = 1', '[profiles.prod]', 'address = "https://ops.example"');
    await using tui = renderTui({ folders, columns: 100, signedIn: false });
    await tui.waitForText('config.toml, line 1, column 1: unknown key teme.');
    await tui.type(`admin\t${tui.server.password}\r`).until('4 problems in config.toml; :messages lists them.');
    await tui.type(':messages\r').until('line 4, column 1: unknown key address.');
    await tui.waitForText('line 3, column 1: the profile needs a url.');
  });

  it('without the profile of the option is reported, before the sign-in', async () => {
    await using tui = renderTui({ folders, profileName: 'prod', signedIn: false });
    await tui.waitForText('Unknown profile: prod; using Quarterdeck.');
  });

  it('that is damaged is reported, and kept when a setting is changed', async () => {
    write('config.toml', 'theme = [');
    await using tui = renderTui({ folders });
    await tui.waitForText(/config\.toml, line \d+, column \d+: not valid TOML\. The defaults apply\./);
    tui.type(':theme light\r');
    await tui.waitFor('the copy', () => {
      try {
        return readFileSync(`${configPath(folders)}.damaged`, 'utf8') === 'theme = [\n';
      } catch {
        return false;
      }
    });
    expect(readFileSync(configPath(folders), 'utf8')).toBe('theme = "light"\n');
  });
});

describe('a theme file', () => {
  it('gives the colours of the dashboard, and is listed where themes are', async () => {
    write('config.toml', 'theme = "solar"');
    write('themes/solar.toml', 'based_on = "light"', 'accent = "#b58900"', 'on_badge = "#FDF6E3"');
    const { settings, themes } = loadSettings(folders);
    const theme = themeFor({ color: true, name: settings.theme, palettes: themes, depth: 'true' });
    expect(theme.accent).toEqual({ color: '#b58900' });
    expect(theme.badgeRed).toMatchObject({ color: '#FDF6E3', backgroundColor: LIGHT.bad });
    await using tui = await openTui('live', { folders });
    await tui.type(':settings\r').until('solar');
    await tui.type(':theme nothing\r').until('Themes: auto, terminal, dark, light, none, solar.');
    await tui.type(':theme so\t').until(':theme solar');
  });

  it('tells a wrong colour, key, base and name', async () => {
    write('themes/dusk.toml', 'accent = "blue"', 'acent = "#112233"', 'based_on = "solar"');
    write('themes/dark.toml', '');
    write('themes/broken.toml', 'accent =');
    await using tui = await openTui(
      '5 problems in themes/broken.toml, themes/dark.toml, themes/dusk.toml; :messages lists them.',
      { folders, columns: 120 },
    );
    tui.type(':messages\r');
    await tui.waitForText('themes/dusk.toml, line 1, column 1: accent must be a colour such as "#6cb6ff".');
    await tui.waitForText('themes/dusk.toml, line 2, column 1: unknown key acent.');
    await tui.waitForText('themes/dusk.toml, line 3, column 1: based_on must be one of dark, light.');
    await tui.waitForText('themes/dark.toml: dark is the name of a built-in theme.');
    await tui.waitForText(/themes\/broken\.toml, line \d, column \d+: not valid TOML/);
  });
});
