// The warning at the start of a server about triggers in its tables.
import { statement } from '@quarterdeck/core/db';
import { expect, it } from 'vitest';
import { openStore } from '../../../test/open-store.ts';
import { warnOfTriggers } from './foreign-triggers.repo.ts';

const PLANT = {
  sqlite: ["CREATE TRIGGER planted AFTER INSERT ON audit BEGIN UPDATE user SET role = 'master'; END"],
  postgresql: [
    'CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'CREATE TRIGGER planted BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION plant()',
  ],
};

it('names a trigger that somebody planted, and is silent without one', async () => {
  await using store = await openStore();
  const { db } = store;
  const warned: unknown[] = [];
  const log = { warn: (object: unknown) => void warned.push(object) };
  await warnOfTriggers(db, log);
  expect(warned).toEqual([]);
  for (const sql of PLANT[db.dialect]) await db.write((tx) => tx.sql.run(statement({ sqlite: sql, postgresql: sql })));
  await warnOfTriggers(db, log);
  expect(warned).toEqual([{ triggers: ['planted on audit'] }]);
});
