// Keeps Ink from drawing when nothing has changed. Ink lays out and draws after every commit of React, even if none of
// its nodes has changed. Most commits are such, because rows of tables and charts skip Ink. In the bundle, the nodes
// record whether they have changed.
import type { Plugin } from 'rolldown';

const CHANGED = 'isInkChanged = true;';

/** Files of Ink with pieces to replace. */
const PATCHES: Readonly<Record<string, readonly (readonly [piece: string, instead: string])[]>> = {
  '/ink/build/dom.js': [
    ...[
      'export const appendChildNode = (node, childNode) => {',
      'export const insertBeforeNode = (node, newChildNode, beforeChildNode) => {',
      'export const removeChildNode = (node, removedNode) => {',
      'export const setTransform = (node, transform) => {',
      'export const setTextNodeValue = (node, text) => {',
      'export const setNodeHidden = (node, isHidden) => {',
    ].map((head) => [head, `${head} ${CHANGED}`] as const),
    [
      'export const setAttribute = (node, key, value) => {',
      `export const setAttribute = (node, key, value) => {
        const before = key === 'internal_accessibility' ? node.internal_accessibility : node.attributes[key];
        if (!isSameProp(before, value)) ${CHANGED}`,
    ],
    [
      'export const setStyle = (node, style) => {',
      `export const setStyle = (node, style) => { if (!isSameProp(node.style, style ?? {})) ${CHANGED}`,
    ],
    [
      "import Yoga from 'yoga-layout';",
      `import Yoga from 'yoga-layout';
      let isInkChanged = true;
      export const takeInkChanged = () => { const was = isInkChanged; isInkChanged = false; return was; };
      const isSameProp = (a, b) => {
        if (Object.is(a, b)) return true;
        if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
        const names = Object.keys(a);
        return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSameProp(a[name], b[name]));
      };`,
    ],
  ],
  '/ink/build/reconciler.js': [
    [
      "import applyStyles from './styles.js';",
      "import applyStyles from './styles.js';\nimport { takeInkChanged } from './dom.js';",
    ],
    ['resetAfterCommit(rootNode) {', 'resetAfterCommit(rootNode) { if (!takeInkChanged()) return;'],
  ],
};

/** The plugin. It fails the build if a piece is missing, because Ink has then changed. */
export const quietInk: Plugin = {
  name: 'quiet-ink',
  transform(code, id) {
    const patches = Object.entries(PATCHES).find(([file]) => id.endsWith(file))?.[1];
    if (patches === undefined) return null;
    return patches.reduce((text, [piece, instead]) => {
      if (text.split(piece).length !== 2) throw new Error(`Ink has changed: ${piece} is not in ${id} once`);
      return text.replace(piece, () => instead);
    }, code);
  },
};
