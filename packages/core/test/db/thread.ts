// A thread for tests: stores names as events, and misbehaves on request.
import { DatabaseError, serveWrites, statement } from '../../src/db/open/index.ts';

type Fault = 'refuse' | 'fail' | 'fill' | 'die' | 'overtime';

/** A name to store, or the fault of the next write. */
export type ThreadMessage = { readonly name: string } | { readonly fault: Fault };

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');

serveWrites<{ prefix: string }, ThreadMessage, string[]>(({ prefix }) => {
  let names: string[] = [];
  let fault: string | undefined;
  return {
    take(message) {
      if ('name' in message) names.push(message.name);
      else fault = message.fault;
    },
    async write(transact) {
      const [mine, requested] = [names, fault];
      names = [];
      fault = undefined;
      const work = transact(async ({ sql }) => {
        for (const name of mine) await sql.run(add, prefix + name, '');
        if (requested === 'refuse') throw new Error('refused');
        if (requested === 'fail') throw new DatabaseError('io');
        if (requested === 'fill') throw new DatabaseError('full');
        if (requested === 'die') process.exit(1);
        if (requested === 'overtime') for (;;) sql.sync?.run(add, 'endless', '');
        return mine;
      });
      // A caller that handles the error of one transaction: the write as a whole succeeds.
      return requested === 'fill' ? work.catch(() => ['full']) : work;
    },
  };
});
