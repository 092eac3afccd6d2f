// Creates the tables in the empty database that PLACE names, and ends. The setup of a test run, which cannot load the
// migration engine, runs it as a process.
import { type DatabaseOptions, openDatabase } from '../src/db/open/index.ts';

const database = await openDatabase(JSON.parse(process.env['PLACE'] ?? '') as DatabaseOptions);
await database.close();
