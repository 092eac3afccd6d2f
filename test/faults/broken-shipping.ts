// Breaks the built agent on purpose. Loaded before it (`--import`), to show that `agent-shipping.ts` sees it.
// BROKEN=positions: places in the files are saved before the lines are. BROKEN=keys: a batch that is sent again has
// another key; and a moment passes before an answer is taken note of, so that kills fall into it. BROKEN=copies: what
// was copied before it was truncated is taken for something new.
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
      found: "headers.set('idempotency-key', key)",
      instead: "headers.set('idempotency-key', crypto.randomUUID())",
    },
    {
      file: '/apps/agent/dist/ship/sender.js',
      found: 'const lines = await spool.done();',
      instead: 'await new Bell().wait(200, signal); const lines = await spool.done();',
    },
  ],
  copies: [
    {
      file: '/apps/agent/dist/follow/family.js',
      found: 'if (await withFile(other.path, (handle) => fits(handle, file.done)))',
      instead: 'if (false)',
    },
  ],
};

const name = process.env['BROKEN'] ?? '';
const breaks = BREAKS[name];
if (breaks === undefined) throw new Error(`BROKEN is none of ${Object.keys(BREAKS).join(', ')}`);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const broken = breaks.find(({ file }) => url.endsWith(file));
    if (broken === undefined) return loaded;
    const source = String(loaded.source);
    if (!source.includes(broken.found)) {
      throw new Error(`what is to be broken is not in ${broken.file}; mend test/faults/broken-shipping.ts`);
    }
    return { ...loaded, source: source.replace(broken.found, broken.instead) };
  },
});
