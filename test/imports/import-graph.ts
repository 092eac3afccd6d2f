// Imports between source files and between their folders. Types count: who needs a type needs the room that it is in.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** File or folder -> those that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** `from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** Reads the imports of all sources below a folder but tests and Prisma's client. Files are named from that folder. */
export function importsOfFiles(root: string): ImportGraph {
  const files = globSync('**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/*.test.{ts,tsx}', '**/*.test-d.ts', 'db/generated/**'],
  });
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imported = [...readFileSync(join(root, file), 'utf8').matchAll(RELATIVE_IMPORT)];
      return [file, new Set(imported.map(([, path = '']) => join(dirname(file), path)).filter((to) => known.has(to)))];
    }),
  );
}

/** The imports between the folders of files. */
export function importsOfFolders(files: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [file, imported] of files) {
    const from = dirname(file);
    const known = folders.get(from) ?? new Set();
    for (const to of imported) if (dirname(to) !== from) known.add(dirname(to));
    folders.set(from, known);
  }
  return folders;
}

/** Finds one circle, as its members in order with the first one again at the end; undefined where there is none. */
export function findCircle(graph: ImportGraph): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const search = (node: string): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const circle = search(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = search(node);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** Describes the imports that make a circle of folders, a line each. */
export function explainCircle(files: ImportGraph, circle: readonly string[]): string[] {
  return circle.slice(1).map((to, at) => {
    const from = circle[at] ?? '';
    const example = [...files].flatMap(([file, imported]) =>
      dirname(file) === from
        ? [...imported].filter((one) => dirname(one) === to).map((one) => `${file} -> ${one}`)
        : [],
    );
    return `${from} -> ${to}: ${example[0]}`;
  });
}
