// The units and scripts of packaging/systemd, checked by the programs of systemd and by shellcheck.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { findProgram } from '../programs.ts';
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

  it.each(nonEmpty(UNITS))('finds no mistake in %s', (name) => {
    expect(mistakesIn(name)).toEqual([]);
  });

  it.each(nonEmpty(blocksIn('ini')))('finds no mistake in the drop-in of $place', ({ flags: [unit = ''], text }) => {
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

  it.each(nonEmpty(UNITS.filter((name) => name.endsWith('.service'))))(
    `rates the exposure of %s 2.0 or less`,
    (name) => {
      const args = ['--offline=true', 'security', '--no-pager', join(FOLDER, name)];
      const output = execFileSync(analyze ?? '', args, { encoding: 'utf8' });
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
      expect(exposure).toBeGreaterThan(0);
      expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
    },
  );
});

it.skipIf(shellcheck === undefined)('has scripts in which shellcheck finds no mistake', () => {
  const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.sh'));
  expect(scripts.length).toBeGreaterThan(0);
  const { stdout } = spawnSync(shellcheck ?? '', scripts, { cwd: FOLDER, encoding: 'utf8' });
  expect(stdout).toBe('');
});
