// Breaks the built agent on purpose. Loaded before it (`--import`), to prove that `agent-shipping.ts` detects it.
// - BROKEN=positions: positions are saved before their lines.
// - BROKEN=keys: a repeated batch has another key, and a delay before an answer is recorded lets kills fall into it.
// - BROKEN=copies: the copy of a truncated file counts as a new file.
import { registerHooks } from 'node:module';

interface Break {
  readonly file: string;
  readonly found: string;
  readonly instead: string;
}

const BREAKS: Readonly<Record<string, readonly Break[]>> = {
  positions: [
    {
      file: '/apps/agent/dist/ship/shipper.js',
      found: 'await untilWritten(() => spool.put(',
      instead: 'await spool.save(follower.positions()); await pause(500); await untilWritten(() => spool.put(',
    },
  ],
  keys: [
    {
      file: '/apps/agent/dist/server-api.js',
      found: "'idempotency-key': key,",
      instead: "'idempotency-key': crypto.randomUUID(),",
    },
    {
      file: '/apps/agent/dist/ship/sender.js',
      found: 'const lines = await spool.removeFirst();',
      instead: 'await new WakeSignal().wait(200, signal); const lines = await spool.removeFirst();',
    },
  ],
  copies: [
    {
      file: '/apps/agent/dist/follow/file-identity.js',
      found: 'if (await withFile(other.path, (handle) => matchesCheckpoint(handle, file.checkpoint)))',
      instead: 'if (false)',
    },
  ],
};

const name = process.env['BROKEN'] ?? '';
const breaks = BREAKS[name];
if (breaks === undefined) throw new Error(`BROKEN must be one of ${Object.keys(BREAKS).join(', ')}`);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const broken = breaks.find(({ file }) => url.endsWith(file));
    if (broken === undefined) return loaded;
    const source = String(loaded.source);
    if (!source.includes(broken.found)) {
      throw new Error(`the code to break is not in ${broken.file}; update test/faults/broken-shipping.ts`);
    }
    return { ...loaded, source: source.replace(broken.found, broken.instead) };
  },
});
