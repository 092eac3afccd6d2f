// Checks that committed generated files are up to date: docs/openapi.json and the database migrations. `--write`
// updates the document.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const documentPath = `${root}docs/openapi.json`;
const built = pathToFileURL(`${root}apps/server/dist/http/openapi.js`).href;

const { openApiDocument } = (await import(built)) as { openApiDocument: () => unknown };
const document = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

if (process.argv.includes('--write')) {
  writeFileSync(documentPath, document);
} else if (readFileSync(documentPath, 'utf8') !== document) {
  console.error('docs/openapi.json is out of date: run `pnpm generated --write`');
  process.exitCode = 1;
}

execFileSync(process.execPath, [`${root}packages/core/prisma/check-drift.ts`], { stdio: 'inherit' });
