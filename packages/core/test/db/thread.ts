// A thread for tests: stores the names that it was handed as events, and does what else a message says.
import { DatabaseError, serveWrites, statement } from '../../src/db/index.ts';

type Besides = 'refuse' | 'fail' | 'fill' | 'die' | 'overtime';

/** A name to store, or what the next write is to do besides. */
export type ThreadMessage = { readonly name: string } | { readonly besides: Besides };

const add = statement('INSERT INTO event (type, data, time_ms) VALUES (?, ?, 1)');

serveWrites<{ prefix: string }, ThreadMessage, string[]>(({ prefix }) => {
  let names: string[] = [];
  let besides: string | undefined;
  return {
    take(message) {
      if ('name' in message) names.push(message.name);
      else besides = message.besides;
    },
    async write(transact) {
      const [mine, what] = [names, besides];
      names = [];
      besides = undefined;
      const work = transact(async ({ sql }) => {
        for (const name of mine) await sql.run(add, prefix + name, '');
        if (what === 'refuse') throw new Error('refused');
        if (what === 'fail') throw new DatabaseError('io');
        if (what === 'fill') throw new DatabaseError('full');
        if (what === 'die') process.exit(1);
        if (what === 'overtime') for (;;) sql.sync?.run(add, 'endless', '');
        return mine;
      });
      // Like who answers each of several by itself: the write as a whole succeeds.
      return what === 'fill' ? work.catch(() => ['full']) : work;
    },
  };
});
