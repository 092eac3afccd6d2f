// Checks that committed generated files are up to date: docs/openapi.json, pages of docs/reference and the database
// migrations. `--write` updates the files. Runs from the sources; code that is generated is not committed: `pnpm
// generate`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Updates a file, or reports that it is out of date. */
function settle(path: string, text: string): void {
  if (existsSync(`${root}${path}`) && readFileSync(`${root}${path}`, 'utf8') === text) return;
  if (process.argv.includes('--write')) {
    writeFileSync(`${root}${path}`, text);
  } else {
    console.error(`${path} is out of date: run \`pnpm generated --write\``);
    process.exitCode = 1;
  }
}

const { openApiDocument } = await import('../apps/server/src/http/openapi.ts');
settle('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);

const { referencePages } = await import('./reference/pages.ts');
for (const [name, text] of Object.entries(referencePages())) settle(`docs/reference/${name}`, text);

execFileSync(process.execPath, [`${root}packages/core/prisma/check-drift.ts`], { stdio: 'inherit' });
