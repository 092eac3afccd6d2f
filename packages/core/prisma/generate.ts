// Generates the Prisma clients of both databases. Nothing is downloaded: the native engine that Prisma asks for is
// never run, so any program can stand in for it.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const prisma = join(dirname(createRequire(import.meta.url).resolve('prisma/package.json')), 'build', 'index.js');

for (const dialect of ['sqlite', 'postgresql']) {
  const schema = fileURLToPath(new URL(dialect, import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [prisma, 'generate', '--schema', schema, '--no-hints'],
    {
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(1);
  }
}
