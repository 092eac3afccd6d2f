// Sources of the lines of the demo: hosts with an agent, and two without.

/** Names of the sources; the id of a source is its place, from 1. */
export const SOURCES = [
  'edge-fra-1',
  'edge-fra-2',
  'edge-iad-1',
  'edge-iad-2',
  'edge-sin-1',
  'gateway-fra-1',
  'gateway-iad-1',
  'gateway-iad-2',
  'gateway-iad-3',
  'gateway-sin-1',
  'api-fra-1',
  'api-fra-2',
  'api-fra-3',
  'api-fra-4',
  'api-sin-1',
  'db-fra-1',
  'db-iad-1',
  'build-fra-1',
  'auth-iad',
  'auth-sin',
];

export const sourceId = (name: string): number => SOURCES.indexOf(name) + 1;
