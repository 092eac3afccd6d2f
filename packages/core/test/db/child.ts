// A process on the database that the tests kill: `node child.ts hold|write <options as JSON>`.
import { type DatabaseOptions, openDatabase, statement } from '../../src/db/index.ts';

const [mode, json] = process.argv.slice(2);
const options: DatabaseOptions = JSON.parse(json ?? '{}');
const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');

const database = await openDatabase(options);
process.stdout.write('open\n');

if (mode === 'hold') {
  setInterval(() => {}, 60_000);
} else {
  await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)));
}

/** Writes pairs of rows without end, and prints the acknowledged ones. */
async function write(writer: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const name = `${writer}.${count}`;
    await database.write(async (tx) => {
      await tx.sql.run(add, name, 'first');
      if (count % 10 === 0) await tx.prisma.event.create({ data: { type: name, data: 'second', timeMs: 1n } });
      else await tx.sql.run(add, name, 'second');
    });
    process.stdout.write(`${name}\n`);
  }
}
