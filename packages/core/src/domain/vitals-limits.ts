// Resources of a host, and the usual limits of their use. No schemas: every front end names them.

/**
 * Resource of a host -> percentage that is usual as its limit. `memory` counts what programs cannot get, `disk` is the
 * fullest file system, `load` is the load of one minute as a percentage of the processors.
 */
export const RESOURCE_LIMITS = { cpu: 80, memory: 90, disk: 90, load: 100 } as const;

/** A resource of a host. */
export type Resource = keyof typeof RESOURCE_LIMITS;

/** Every resource. */
export const RESOURCES = Object.keys(RESOURCE_LIMITS) as [Resource, ...Resource[]];
