// Breaks the built server on purpose: an account allows 5,000 guesses before it has to wait. Loaded before the server
// (`--import`), to prove that the script detects it.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/apps/server/dist/auth/throttle.js')) return loaded;
    const source = String(loaded.source);
    const broken = source.replace(/(ACCOUNT = \{\s*free: )5,/, '$15000,');
    if (broken === source) throw new Error('the budget of an account has moved; update test/faults/broken-budget.ts');
    return { ...loaded, source: broken };
  },
});
