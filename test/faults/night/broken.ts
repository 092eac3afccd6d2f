// Breaks the built server on purpose, to prove that the night detects it. The position of a rule is stored after its
// messages, in a later write, so that a kill falls in between. Loaded before the server with `--import`.
import { registerHooks } from 'node:module';

const FOUND = 'await saveRound(tx, rule.id, position, fired.length > 0 ? nowMs : undefined);';
const INSTEAD =
  'setTimeout(() => db.write((later) => saveRound(later, rule.id, position, fired.length > 0 ? nowMs : undefined)).catch(() => {}), 400);';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/apps/server/dist/features/alert/round.js')) return loaded;
    const source = String(loaded.source);
    if (!source.includes(FOUND)) throw new Error('the code to break has moved; update test/faults/night/broken.ts');
    return { ...loaded, source: source.replace(FOUND, INSTEAD) };
  },
});
