// Plugins of the build: the check of the sizes, and assets that are compressed once instead of for each request.
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { type BundleFile, filesOf, gzippedSize, type RouteBudget } from './sizes.ts';

type Bundle = Rolldown.OutputBundle;

/** Smaller files are sent faster as they are. */
const COMPRESSED_FROM = 1_000;

function filesIn(bundle: Bundle): ReadonlyMap<string, BundleFile> {
  return new Map(
    Object.values(bundle).map((file): [string, BundleFile] =>
      file.type === 'asset'
        ? [file.fileName, { bytes: file.source, needs: [] }]
        : [file.fileName, { bytes: file.code, needs: [...file.imports, ...(file.viteMetadata?.importedCss ?? [])] }],
    ),
  );
}

const chunkOf = (bundle: Bundle, module: string): string | undefined =>
  Object.values(bundle).find((file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(module) === true)
    ?.fileName;

/** Prints what a browser loads for each page, and fails the build where that is more than it may be. */
export const checkSizes = (budgets: readonly RouteBudget[]): Plugin => ({
  name: 'check-sizes',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const files = filesIn(bundle);
      const entries = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' && file.isEntry ? [file.fileName] : [],
      );
      const lines: string[] = [];
      const excesses: string[] = [];
      for (const { route, module, maxBytes } of budgets) {
        const chunk = chunkOf(bundle, module);
        if (chunk === undefined) this.error(`The page ${route} is no chunk of its own: ${module}`);
        const size = gzippedSize(filesOf([...entries, chunk], files), files);
        const limit = maxBytes === undefined ? '' : ` of ${(maxBytes / 1000).toFixed(0)}`;
        lines.push(`${route.padEnd(10)} ${(size / 1000).toFixed(1)}${limit} kB`);
        if (maxBytes !== undefined && size > maxBytes) excesses.push(`${route}: ${size} bytes, at most ${maxBytes}`);
      }
      process.stdout.write(`JavaScript and CSS of each page, gzipped:\n${lines.join('\n')}\n`);
      if (excesses.length > 0) this.error(`A page is too large. ${excesses.join('; ')}`);
    },
  },
});

/** Writes a brotli form beside each text asset. The server changes index.html, so that has none. */
export const compressAssets = (): Plugin => ({
  name: 'compress-assets',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      for (const file of Object.values(bundle)) {
        const bytes = Buffer.from(file.type === 'asset' ? file.source : file.code);
        if (!/\.(js|css|svg)$/.test(file.fileName) || bytes.length < COMPRESSED_FROM) continue;
        this.emitFile({
          type: 'asset',
          fileName: `${file.fileName}.br`,
          source: brotliCompressSync(bytes, { params }),
        });
      }
    },
  },
});
