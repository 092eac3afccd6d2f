// The installed Ink contains the pieces that the bundle replaces.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { quietInk } from '../src/terminal/quiet-ink.ts';

const ink = dirname(fileURLToPath(import.meta.resolve('ink')));
const transform = quietInk.transform as (code: string, id: string) => string | null;
const changed = (file: string): string => {
  const path = join(ink, file);
  return transform(readFileSync(path, 'utf8'), path) ?? '';
};

describe('the quiet Ink', () => {
  it('tells of every change of a node, and draws after none', () => {
    const dom = changed('dom.js');
    // Every function that changes a node, except its creation, which an insertion follows.
    const changing = dom
      .split(/^export const /m)
      .map((text) => [/^\w+/.exec(text)?.[0] ?? '', text] as const)
      .filter(([name]) => /Child|^set|^insert/.test(name));
    expect(changing.map(([name]) => name).sort()).toEqual([
      'appendChildNode',
      'insertBeforeNode',
      'removeChildNode',
      'setAttribute',
      'setNodeHidden',
      'setStyle',
      'setTextNodeValue',
      'setTransform',
    ]);
    for (const [name, body] of changing) expect(body, name).toContain('isInkChanged = true;');
    expect(changed('reconciler.js')).toContain('resetAfterCommit(rootNode) { if (!takeInkChanged()) return;');
  });

  it('is another Ink where a piece is missing', () => {
    expect(() => transform('export const nothing = 1;', '/somewhere/ink/build/dom.js')).toThrow('Ink has changed');
  });

  it('leaves everything else alone', () => {
    expect(transform('resetAfterCommit(rootNode) {', '/somewhere/else.js')).toBeNull();
  });
});
