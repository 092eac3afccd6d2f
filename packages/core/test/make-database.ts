// Makes the tables in the empty database that PLACE says, and ends: run as a process by what cannot load the migration
// engine, such as the setup of a test run.
import { type DatabaseOptions, openDatabase } from '../src/db/index.ts';

const database = await openDatabase(JSON.parse(process.env['PLACE'] ?? '') as DatabaseOptions);
await database.close();
