// Bundles the command line with the dashboard: a small file that starts, and chunks that load when they are used.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import { licenceNotices } from '../../scripts/release/notices.ts';
import { dashboardDefine, dashboardPlugins } from '../tui/rolldown-plugins.config.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  // The same modules as in the tests, so that the dashboard and the commands share their chunks.
  resolve: { conditionNames: ['@quarterdeck/source', 'node', 'import', 'default'] },
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    minify: { compress: true, mangle: false },
  },
  plugins: [...dashboardPlugins, licenceNotices()],
  // jq looks for its folder, which it does not need: its WebAssembly is in the same file.
  transform: { define: { ...dashboardDefine, __dirname: '""', BUNDLED_VERSION: JSON.stringify(version) } },
  external: ['react-devtools-core', '@napi-rs/keyring'],
});
