// Bundles the agent into one file, to be copied to a host that has Node 24 and nothing else.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import { licenceNotices } from '../../scripts/release/notices.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  input: 'src/start.ts',
  platform: 'node',
  // Node takes this name for a module in any folder. Names inside the file stay readable in stack traces.
  output: {
    file: 'dist/quarterdeck-agent.mjs',
    format: 'esm',
    codeSplitting: false,
    minify: { compress: true, mangle: false },
  },
  // The bundle has no package.json beside it.
  plugins: [licenceNotices()],
  transform: { target: 'node22', define: { BUNDLED_VERSION: JSON.stringify(version) } },
});
