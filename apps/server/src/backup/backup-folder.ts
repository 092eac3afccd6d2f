// The files of scheduled backups in their folder. Only names that this installation gives are ever deleted.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '@quarterdeck/core/db';

const SUFFIX: Readonly<Record<Dialect, string>> = { sqlite: 'db', postgresql: 'pgdump' };

/** Name of a backup: `quarterdeck-1a2b3c4d-20261123T030000Z.db`. The first part names the installation. */
export function backupName(installation: string, dialect: Dialect, timeMs: number): string {
  const time = new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `quarterdeck-${installation.slice(0, 8)}-${time}.${SUFFIX[dialect]}`;
}

const namesOf = (installation: string) =>
  new RegExp(
    `^(quarterdeck-${installation.slice(0, 8)}-\\d{8}T\\d{6}Z\\.(?:db|pgdump))(\\.json|\\.key)?(\\.part(?:-journal)?)?$`,
  );

/** Lists the complete backups of an installation, oldest first. */
export function listBackups(folder: string, installation: string): string[] {
  const names = namesOf(installation);
  return readdirSync(folder)
    .filter((name) => names.exec(name)?.[1] === name)
    .map((name) => join(folder, name))
    .sort(byTime);
}

/** The time is the last part of the name, whatever the database. */
const byTime = (a: string, b: string) => (a < b ? -1 : 1);

/** Deletes the oldest backups beyond `keep`, and the parts of backups that were not completed. */
export function removeOldBackups(folder: string, installation: string, keep: number): number {
  const old = listBackups(folder, installation).slice(0, -keep);
  // Without its database a backup counts no longer, so that file goes first.
  for (const file of old) rmSync(file, { force: true });
  const names = namesOf(installation);
  for (const name of readdirSync(folder)) {
    const [, database = '', beside, part] = names.exec(name) ?? [];
    const isRest = beside !== undefined && !existsSync(join(folder, database));
    if (part !== undefined || isRest) rmSync(join(folder, name), { force: true });
  }
  return old.length;
}
