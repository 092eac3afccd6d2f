// Bundles programs as for a browser.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Plugin, rolldown } from 'rolldown';

export interface BundleSize {
  /** Bytes of the minified program. */
  readonly bytes: number;
  /** Its bytes when compressed with gzip. */
  readonly gzipped: number;
  /** Of these, the bytes that a program loads at its start: the rest is loaded when it is used. */
  readonly first: number;
}

const PROGRAM = fileURLToPath(new URL('program.js', import.meta.url));

/** Bundles and minifies a program that may import this package, from its sources: each chunk, the entry first. */
async function chunksOf(program: string): Promise<string[]> {
  const virtual: Plugin = {
    name: 'program',
    resolveId: (id) => (id === PROGRAM ? id : undefined),
    load: (id) => (id === PROGRAM ? program : undefined),
  };
  const bundle = await rolldown({
    input: PROGRAM,
    platform: 'browser',
    resolve: { conditionNames: ['@quarterdeck/source', 'import', 'default'] },
    plugins: [virtual],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : ''));
}

/** Bundles a program as {@link bundleSize} does. */
export const bundleProgram = async (program: string): Promise<string> => (await chunksOf(program)).join('');

/** Returns the size of the bundle of a program. */
export async function bundleSize(program: string): Promise<BundleSize> {
  const chunks = await chunksOf(program);
  const code = chunks.join('');
  const [first = ''] = chunks;
  return { bytes: Buffer.byteLength(code), gzipped: gzipSync(code).length, first: gzipSync(first).length };
}
