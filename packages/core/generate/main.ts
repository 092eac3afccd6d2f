// Writes src/generated, which is not committed: `pnpm generate`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { nounsModule } from './nouns.ts';

const folder = new URL('../src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('nouns.ts', folder), await nounsModule());
