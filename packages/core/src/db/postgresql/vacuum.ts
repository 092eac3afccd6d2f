// Removes what is left of deleted and former rows of tables.
import { fromDriver } from '../database-error.ts';
import { PrimaryClient } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';

/** Vacuums tables, and renews their statistics, which hold values of rows. No time limit: a table may be large. */
export async function vacuum(url: string, tables: readonly string[]): Promise<void> {
  const client = new PrimaryClient(new PrimaryHosts(url), {
    application_name: 'quarterdeck vacuum',
    session: 'SET statement_timeout = 0; SET lock_timeout = 0',
  });
  try {
    await client.connect();
    await client.query(`VACUUM (ANALYZE) ${tables.map((name) => client.escapeIdentifier(name)).join(', ')}`);
  } catch (error) {
    throw fromDriver(error);
  } finally {
    await client.end().catch(() => {});
  }
}
