// Bundles the agent into one file, to be copied to a host that has Node 24 and nothing else.
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'rolldown';
import { licenceNotices } from '../../scripts/release/notices.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** V8 keeps the text of a program in memory, and one character beyond Latin-1 doubles its size. */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replace(BEYOND_ASCII, (unit) => `\\u${hexOf(unit)}`);
    }
  },
};
const BEYOND_ASCII = /[\u0080-\uffff]/g;
const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');

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
  plugins: [licenceNotices(), asciiOnly],
  transform: { target: 'node22', define: { BUNDLED_VERSION: JSON.stringify(version) } },
});
