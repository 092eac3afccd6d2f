// Bundles the dashboard: one file for the first frame, and chunks for the rest. Loading hundreds of modules takes
// longer than running them. The output of tsc stays beside it for the bench, which measures the modules unbundled.
import { defineConfig } from 'rolldown';
import { dashboardDefine, dashboardPlugins } from './rolldown-plugins.config.ts';

export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    // Keeps names for crash reports. Less text compiles faster.
    minify: { compress: true, mangle: false },
  },
  plugins: [...dashboardPlugins],
  transform: { define: dashboardDefine },
  external: ['react-devtools-core'],
});
