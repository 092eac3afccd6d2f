import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backupName, listBackups, removeOldBackups } from './backup-folder.ts';

const OURS = '11111111-2222-3333-4444-555555555555';
const THEIRS = '99999999-2222-3333-4444-555555555555';
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 1, 3);

function folderWith(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

const filesOf = (name: string) => [name, `${name}.json`, `${name}.key`];

it('keeps the newest backups, and every file of others', () => {
  const ours = Array.from({ length: 5 }, (_, day) => backupName(OURS, 'sqlite', START_MS + day * DAY_MS));
  const theirs = backupName(THEIRS, 'sqlite', START_MS);
  const others = [
    ...filesOf(theirs),
    `${theirs}.part`,
    'quarterdeck.db',
    'notes.txt',
    `copy of ${ours[0]}`,
    `${ours[0]}.old`,
    'quarterdeck-11111111-20261101.db',
  ];
  const folder = folderWith([...ours.flatMap(filesOf), ...others]);
  expect(removeOldBackups(folder, OURS, 2)).toBe(3);
  expect(readdirSync(folder).sort()).toEqual([...ours.slice(3).flatMap(filesOf), ...others].sort());
  expect(removeOldBackups(folder, OURS, 2)).toBe(0);
});

it('removes what a killed server has left of a backup', () => {
  const done = backupName(OURS, 'postgresql', START_MS);
  const killed = backupName(OURS, 'postgresql', START_MS + DAY_MS);
  const folder = folderWith([
    ...filesOf(done),
    `${killed}.part`,
    `${killed}.part-journal`,
    `${killed}.json`,
    `${killed}.key`,
    `${killed}.key.part`,
  ]);
  expect(listBackups(folder, OURS)).toEqual([join(folder, done)]);
  expect(removeOldBackups(folder, OURS, 7)).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(filesOf(done).sort());
});

it('names a backup by installation, time and database', () => {
  expect(backupName(OURS, 'sqlite', START_MS)).toBe('quarterdeck-11111111-20261101T030000Z.db');
  expect(backupName(OURS, 'postgresql', START_MS)).toBe('quarterdeck-11111111-20261101T030000Z.pgdump');
});
