// Writes src/generated, which is not committed: `pnpm generate`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { callsModule, routesModule } from './calls.ts';
import { nounsModule } from './nouns.ts';
import { schemasModule } from './schemas.ts';

const folder = new URL('../src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries({
  nouns: nounsModule(),
  calls: callsModule(),
  routes: routesModule(),
  schemas: schemasModule(),
})) {
  writeFileSync(new URL(`${name}.ts`, folder), text);
}
