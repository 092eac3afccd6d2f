// Describes a backup to the person who verifies or restores it.
import type { CheckedBackup } from './check-backup.ts';

/** Tables whose rows a person knows. */
const COUNTED: readonly (readonly [table: string, name: string])[] = [
  ['user', 'users'],
  ['api_token', 'API tokens'],
  ['agent', 'agents'],
  ['errlog', 'error groups'],
];

const DATABASES = { sqlite: 'SQLite', postgresql: 'PostgreSQL' };

/** Returns lines of text. */
export function describeBackup({ file, database, manifest, contents, keys }: CheckedBackup): string[] {
  const rows = contents?.rows ?? manifest?.rows;
  const counts = COUNTED.filter(([table]) => rows?.[table] !== undefined).map(
    ([table, name]) => `${name}: ${rows?.[table]}`,
  );
  const pending = contents?.pending.length ?? 0;
  return [
    `${file}, ${DATABASES[database]}`,
    manifest === undefined
      ? 'a plain database without a manifest: its checksum is unknown'
      : `made ${new Date(manifest.timeMs).toISOString()} by Quarterdeck ${manifest.quarterdeck}, ${manifest.bytes} bytes`,
    ...(counts.length === 0 ? [] : [counts.join(', ')]),
    ...(pending === 0 ? [] : [`migrations that this version applies: ${pending}`]),
    keyText(keys),
  ];
}

function keyText(keys: CheckedBackup['keys']): string {
  if (keys === 'none') return 'it holds no key: a restore needs the secret.key that belongs to it';
  if (keys === 'sealed')
    return 'it holds the encrypted key; QUARTERDECK_BACKUP_PASSPHRASE is not set, so it was not opened';
  return 'it holds the encrypted key, and the passphrase opens it';
}
