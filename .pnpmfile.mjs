// Corrects the manifest of a package whose own wishes cannot be met.

/** Gives `openapi-typescript` a TypeScript 5 of its own: it writes with syntax trees that TypeScript 7 does not have. */
function readPackage(manifest) {
  if (manifest.name !== 'openapi-typescript') return manifest;
  const { typescript: _, ...peerDependencies } = manifest.peerDependencies;
  return { ...manifest, peerDependencies, dependencies: { ...manifest.dependencies, typescript: '5.9.3' } };
}

export const hooks = { readPackage };
