// Refusals of `db move` that need no target.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDataFolder } from '../../test/command-line.ts';

const { dataDir, run } = useDataFolder();

describe('db move', () => {
  it.each([
    [[], 'db move needs either --to-env NAME or --to-file FILE'],
    [['--to-env', 'A', '--to-file', 'b'], 'db move needs either --to-env NAME or --to-file FILE'],
    [['--to-env', 'NOT_SET'], 'the variable NOT_SET is not set'],
  ])('refuses %j', async (args, message) => {
    expect(await run(['db', 'move', ...args])).toEqual({ code: 2, out: '', err: `quarterdeckd: ${message}\n` });
  });

  it('refuses a target of the same kind, another file name and a wrong address, which it does not repeat', async () => {
    const toFile = await run(['db', 'move', '--to-file', join(dataDir, 'new', 'quarterdeck.db')]);
    expect(toFile).toMatchObject({ code: 1, err: expect.stringContaining('the data are on SQLite already') });
    const url = 'postgresql://quarterdeck@127.0.0.1:1/quarterdeck';
    const onPostgres = { QUARTERDECK_DATABASE_URL: url, NEW: url };
    const toEnv = await run(['db', 'move', '--to-env', 'NEW'], onPostgres);
    expect(toEnv).toMatchObject({ code: 1, err: expect.stringContaining('the data are on PostgreSQL already') });
    const password = randomUUID();
    const wrong = await run(['db', 'move', '--to-env', 'NEW'], { NEW: `mysql://me:${password}@host/x` });
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('NEW gives a value that is not repeated here');
    expect(wrong.err).not.toContain(password);
  });
});
