// Checks that committed generated files are up to date: the names of nouns, the types and routes of the SDK, the
// endpoints of the command line, docs/openapi.json, pages of docs/reference and the database migrations. `--write`
// updates the files. Runs from the sources, because each file is made from the ones before it.
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

const { nounsModule: namesModule } = await import('../packages/core/generate/nouns.ts');
settle('packages/core/src/generated/nouns.ts', await namesModule());

const { nounsModule } = await import('../packages/sdk/generate/nouns.ts');
const { callsModule, routesModule } = await import('../packages/sdk/generate/calls.ts');
const { schemasModule } = await import('../packages/sdk/generate/schemas.ts');
settle('packages/sdk/src/generated/nouns.ts', nounsModule());
settle('packages/sdk/src/generated/calls.ts', callsModule());
settle('packages/sdk/src/generated/routes.ts', routesModule());
settle('packages/sdk/src/generated/schemas.ts', schemasModule());

const { endpointsModule } = await import('../apps/cli/generate/endpoints.ts');
settle('apps/cli/src/generated/endpoints.ts', endpointsModule());

const { openApiDocument } = await import('../apps/server/src/http/openapi.ts');
settle('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);

const { referencePages } = await import('./reference/pages.ts');
for (const [name, text] of Object.entries(referencePages())) settle(`docs/reference/${name}`, text);

execFileSync(process.execPath, [`${root}packages/core/prisma/check-drift.ts`], { stdio: 'inherit' });
