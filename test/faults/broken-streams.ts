// Breaks the built server on purpose: credentials of open streams are checked every 15 s. Loaded before the server
// (`--import`), to prove that the script detects it.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/apps/server/dist/http/stream-credentials.js')) return loaded;
    const source = String(loaded.source);
    const broken = source.replace(/CHECK_MS = 500;/, 'CHECK_MS = 15_000;');
    if (broken === source) throw new Error('CHECK_MS has moved; update test/faults/broken-streams.ts');
    return { ...loaded, source: broken };
  },
});
