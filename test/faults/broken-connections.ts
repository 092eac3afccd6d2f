// Breaks the built server on purpose: it closes no connection to make room for others, or after a 408. Loaded before
// the server (`--import`), to prove that the scripts detect it.
import { registerHooks } from 'node:module';

const BROKEN = [
  ['/apps/server/dist/http/connections.js', /(#evict\(mayGo\) \{)/, '$1 return undefined;'],
  ['/apps/server/dist/http/connections.js', /(#isFull\(holder\) \{)/, '$1 return false;'],
  [
    '/apps/server/dist/http/connection-guard.js',
    /const timer = setTimeout\(\(\) => socket\.destroy\(\)/,
    'const timer = setTimeout(() => {}',
  ],
] as const;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const changes = BROKEN.filter(([file]) => url.endsWith(file));
    if (changes.length === 0) return loaded;
    let source = String(loaded.source);
    for (const [file, place, change] of changes) {
      if (!place.test(source))
        throw new Error(`the code to break is not in ${file}; update test/faults/broken-connections.ts`);
      source = source.replace(place, change);
    }
    return { ...loaded, source };
  },
});
