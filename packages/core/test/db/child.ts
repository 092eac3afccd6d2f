// Another process on the database, to be killed: `node child.ts hold|write <options as JSON>`.
import { type DatabaseOptions, openDatabase, statement } from '../../src/db/index.ts';

const [mode, json] = process.argv.slice(2);
const options: DatabaseOptions = JSON.parse(json ?? '{}');
const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');

const database = await openDatabase(options);
process.stdout.write('open\n');

if (mode === 'hold') {
  setInterval(() => {}, 60_000);
} else {
  await Promise.all(Array.from({ length: 20 }, (_, lane) => write(lane)));
}

/** Writes pairs of rows without end, and says which are acknowledged. */
async function write(lane: number): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const name = `${lane}.${turn}`;
    await database.write(async (tx) => {
      await tx.sql.run(add, name, 'first');
      if (turn % 10 === 0) await tx.prisma.event.create({ data: { type: name, data: 'second', timeMs: 1n } });
      else await tx.sql.run(add, name, 'second');
    });
    process.stdout.write(`${name}\n`);
  }
}
