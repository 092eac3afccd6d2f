// Finds mistakes in the manifests and types of packed libraries.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Problems of attw that only a program in CommonJS has: the libraries are ES modules alone. */
const ONLY_COMMONJS: ReadonlySet<string> = new Set(['CJSResolvesToESM']);
/** The resolution of Node before version 12 knows no `exports`. */
const OLD_RESOLUTION = 'node10';

/** Returns a line for each mistake in the tarball. */
export async function lintTarball(file: string): Promise<string[]> {
  const bytes = readFileSync(file);
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  const manifests = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  const types = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  if (types.types === false) return [...manifests, 'it has no types'];
  const wrong = types.problems
    .filter(({ kind }) => !ONLY_COMMONJS.has(kind))
    .filter((problem) => !('resolutionKind' in problem && problem.resolutionKind === OLD_RESOLUTION))
    .map((problem) => `types: ${JSON.stringify(problem)}`);
  return [...manifests, ...wrong];
}
