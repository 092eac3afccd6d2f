// Builds the page into dist/: index.html with relative addresses, and assets with hashes that never change.
// QUARTERDECK_DEV_SERVER names the server that the development server passes API requests on to.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { licenceNotices } from '../../scripts/release/notices.ts';
import { checkSizes, compressAssets } from './build/plugins.ts';
import { ROUTE_BUDGETS } from './build/sizes.ts';

const server = process.env['QUARTERDECK_DEV_SERVER'] ?? 'http://127.0.0.1:7080';
const api = { target: server, changeOrigin: true };

export default defineConfig({
  base: './',
  build: {
    // Browsers with `light-dark()`, container queries and popovers.
    target: ['chrome125', 'edge125', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    sourcemap: false,
    rolldownOptions: {
      // The directive is for servers that render, which this page has none of.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
      // A request for each small module that pages share would take longer than the modules.
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // The page of an alert has no list, and is the one that has to be there first.
            {
              name: 'lists',
              priority: 1,
              test: /\/virtua\/|\/src\/(?:components\/(?:virtual-list|filter-field|histogram|time-range|facets|moment)|data\/range|words\/narrowed)\b/,
            },
            {
              name: 'shared',
              test: /\/src\/(?:components(?!\/(?:form-dialog|form-problem|dialog|copy-button))|data|words)\//,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
  resolve: {
    // React has this itself; wouter brings it for old versions.
    alias: {
      'use-sync-external-store/shim/index.js': 'react',
      regexparam: fileURLToPath(new URL('src/shell/path-pattern.ts', import.meta.url)),
    },
    conditions: ['@quarterdeck/source', 'module', 'browser', 'development|production'],
  },
  plugins: [licenceNotices(), checkSizes(ROUTE_BUDGETS), compressAssets()],
  server: {
    host: '127.0.0.1',
    proxy: { '/admin-api': api, '/api': api, '/docs': api, '/healthz': api },
  },
});
