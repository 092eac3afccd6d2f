// Opens a reader on another thread of the process.
import type { ReaderSettings, ThreadReader } from '../thread-reader.ts';

/** Opens a reader in a thread. The settings are those of the open database, which is not migrated here. */
export async function openThreadReader(settings: ReaderSettings): Promise<ThreadReader> {
  // Loaded on demand: each driver is an optional dependency.
  if (settings.dialect === 'sqlite') {
    const { openSqliteReader } = await import('../sqlite/thread-reader.ts');
    return openSqliteReader(settings.file);
  }
  const { openPostgresReader } = await import('../postgresql/thread-reader.ts');
  return openPostgresReader(settings.url);
}
