// Writes src/generated, which is not committed: `pnpm generate`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { endpointsModule } from './endpoints.ts';

const folder = new URL('../src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('endpoints.ts', folder), endpointsModule());
