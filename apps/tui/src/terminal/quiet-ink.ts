// Ink lays out and draws everything again after every commit of React's, also after one in which none of its nodes has
// changed. Here that is most of them: rows of tables and charts go past Ink. So in the bundle its nodes tell whether
// anything about them has changed, and where nothing has, nothing is drawn.
import type { Plugin } from 'rolldown';

const CHANGED = 'isInkChanged = true;';

/** File of Ink -> pieces of it and what takes their place. */
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

/** The plugin. An Ink in which a piece is not found is another Ink: then there is no bundle. */
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
