import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { prepareDataFolder } from './data-folder.ts';

const OWN_FILES = [
  'secret.key',
  'secret.key.used',
  'quarterdeck.db',
  'quarterdeck.db-wal',
  'quarterdeck.db-shm',
  'quarterdeck.db.before-20261120120245_identity',
  'quarterdeck.lock',
  'quarterdeck.reserve',
  'quarterdeckd.sock',
];

let parent: string;
let folder: string;
beforeEach(() => {
  parent = newFolder();
  folder = join(parent, 'data');
});

const modeOf = (path: string) => statSync(path).mode & 0o7777;
function write(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, 'x');
  chmodSync(path, mode);
  return path;
}
function makeFolder(mode: number): void {
  mkdirSync(folder);
  chmodSync(folder, mode);
}

describe('the data folder', () => {
  it('is created for its owner alone', () => {
    prepareDataFolder(join(folder, 'deeper'));
    expect(modeOf(join(folder, 'deeper'))).toBe(0o700);
  });

  it('is restricted with all its files, if it holds nothing else', () => {
    makeFolder(0o755);
    const files = OWN_FILES.map((name) => write(name, 0o664));
    prepareDataFolder(folder);
    expect(modeOf(folder)).toBe(0o700);
    expect(files.map(modeOf)).toEqual(files.map(() => 0o600));
  });

  it('stays open if it holds other files, which do not change; own files are restricted', () => {
    makeFolder(0o755);
    const other = write('package.json', 0o644);
    mkdirSync(join(folder, 'quarterdeck.db.copies'), { mode: 0o755 });
    const files = OWN_FILES.map((name) => write(name, 0o644));
    prepareDataFolder(folder);
    expect([modeOf(folder), modeOf(other), modeOf(join(folder, 'quarterdeck.db.copies'))]).toEqual([
      0o755, 0o644, 0o755,
    ]);
    expect(files.map(modeOf)).toEqual(files.map(() => 0o600));
  });

  it('may be a volume of a group', () => {
    makeFolder(0o2770);
    mkdirSync(join(folder, 'lost+found'));
    write('quarterdeck.db', 0o660);
    prepareDataFolder(folder);
    expect([modeOf(folder), modeOf(join(folder, 'quarterdeck.db'))]).toEqual([0o2770, 0o600]);
  });

  it('may hold a provisioned key: read-only, or a link to a file of a group', () => {
    makeFolder(0o755);
    const key = write('secret.key', 0o400);
    prepareDataFolder(folder);
    expect(modeOf(key)).toBe(0o400);
    rmSync(key);
    const mounted = join(parent, 'mounted.key');
    writeFileSync(mounted, 'x');
    chmodSync(mounted, 0o440);
    symlinkSync(mounted, key);
    write('package.json', 0o644);
    prepareDataFolder(folder);
    expect(modeOf(mounted)).toBe(0o440);
  });

  it('is refused if others can read a file of it outside the folder', () => {
    makeFolder(0o755);
    write('package.json', 0o644);
    const mounted = join(parent, 'mounted.key');
    writeFileSync(mounted, 'x');
    chmodSync(mounted, 0o644);
    symlinkSync(mounted, join(folder, 'secret.key'));
    expect(() => prepareDataFolder(folder)).toThrow(/^every user can read \S+secret\.key, .*0440/);
    expect(modeOf(mounted)).toBe(0o644);
    chmodSync(folder, 0o750);
    prepareDataFolder(folder);
  });

  it('is refused if others can replace its files', () => {
    makeFolder(0o777);
    write('package.json', 0o644);
    expect(() => prepareDataFolder(folder)).toThrow(/^every user can replace files in \S+ .*chmod o-w/);
    chmodSync(folder, 0o1777);
    prepareDataFolder(folder);
  });

  it('is refused in one line if it cannot be created', () => {
    writeFileSync(folder, '');
    for (const wrong of [folder, join(folder, 'below')]) {
      expect(() => prepareDataFolder(wrong)).toThrow(
        expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining(`"${wrong}"`) }),
      );
    }
  });
});
