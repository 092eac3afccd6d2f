// The units, scripts and example settings of packaging/systemd, checked by the programs of systemd and by our own.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../../apps/agent/src/config-file.ts';
import { SETTINGS } from '../../apps/server/src/config.ts';
import { openSettings } from '../../apps/server/src/settings.ts';
import { findProgram } from '../../apps/server/test/programs.ts';
import { blocksIn, ROOT } from './documents.ts';

const FOLDER = `${ROOT}packaging/systemd`;
const UNITS = readdirSync(FOLDER).filter((name) => /\.(service|socket)$/.test(name));
const EXPOSURE_MAX = 2;

const analyze = findProgram('systemd-analyze');
const shellcheck = findProgram('shellcheck');

describe.skipIf(analyze === undefined)('systemd-analyze', () => {
  let folder = '';
  // The programs of the units are not installed here.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'units-'));
    for (const name of UNITS) {
      const text = readFileSync(join(FOLDER, name), 'utf8');
      writeFileSync(join(folder, name), text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Lines about our units; those of the machine itself are not ours to judge. */
  function mistakesIn(name: string): string[] {
    const { stdout, stderr } = spawnSync(analyze ?? '', ['verify', name], { cwd: folder, encoding: 'utf8' });
    return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('quarterdeck'));
  }

  it.each(UNITS)('finds no mistake in %s', (name) => {
    expect(mistakesIn(name)).toEqual([]);
  });

  it.each(blocksIn('ini'))('finds no mistake in the drop-in of $place', ({ flags: [unit = ''], text }) => {
    const dropIn = join(folder, `${unit}.d`);
    mkdirSync(dropIn);
    try {
      writeFileSync(join(dropIn, 'example.conf'), text);
      expect(mistakesIn(unit)).toEqual([]);
    } finally {
      rmSync(dropIn, { recursive: true });
    }
  });

  it('finds a mistake where there is one', () => {
    writeFileSync(join(folder, 'quarterdeck-wrong.service'), '[Service]\nExecStart=/bin/true\nWatchdogSecs=1\n');
    expect(mistakesIn('quarterdeck-wrong.service')).toEqual([expect.stringContaining('Unknown key')]);
  });

  it.each(UNITS.filter((name) => name.endsWith('.service')))(`rates the exposure of %s 2.0 or less`, (name) => {
    const args = ['--offline=true', 'security', '--no-pager', join(FOLDER, name)];
    const output = execFileSync(analyze ?? '', args, { encoding: 'utf8' });
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
    expect(exposure).toBeGreaterThan(0);
    expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
  });
});

it.skipIf(shellcheck === undefined)('has scripts in which shellcheck finds no mistake', () => {
  const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.sh'));
  expect(scripts.length).toBeGreaterThan(0);
  const { stdout } = spawnSync(shellcheck ?? '', scripts, { cwd: FOLDER, encoding: 'utf8' });
  expect(stdout).toBe('');
});

describe('example settings', () => {
  /** Writes an example with all of its commented settings in effect. */
  function uncommented(name: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    const file = join(folder, name);
    cpSync(join(FOLDER, name), file);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/^#(?=\w+ = )/gm, ''), { mode: 0o600 });
    return file;
  }
  /** Commented settings that are in effect then. */
  const count = (file: string) => readFileSync(file, 'utf8').match(/^\w+ = /gm)?.length;

  it('of the server have keys and values that it takes', () => {
    const file = uncommented('quarterdeck.toml');
    expect(count(file)).toBeGreaterThan(10);
    const settings = openSettings({ QUARTERDECK_CONFIG: file }, SETTINGS);
    // The files with secrets do not exist here.
    const inFile = SETTINGS.filter((variable) => settings.origin(variable) === 'file');
    const text = readFileSync(file, 'utf8');
    for (const variable of inFile) {
      const key = variable.name.replace('QUARTERDECK_', '').toLowerCase();
      if (!text.includes(`${key}_file = `)) expect(() => settings.value(variable)).not.toThrow();
    }
  });

  it('of the agent have keys and values that it takes', () => {
    const file = uncommented('agent.toml');
    expect(count(file)).toBeGreaterThan(5);
    expect(readConfigFile(file, true).url).toBe('https://quarterdeck.example');
  });
});
