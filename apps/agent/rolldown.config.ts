// The agent as one file, to be copied to a host that has Node 24 and nothing else. What tsc has put beside it is the same
// in many files.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  // A name that Node takes for a module wherever the file is put, and names inside that say where a crash was.
  output: { file: 'dist/quarterdeck-agent.mjs', format: 'esm', minify: { compress: true, mangle: false } },
  // There is no package.json beside it.
  transform: { define: { BUNDLED_VERSION: JSON.stringify(version) } },
});
