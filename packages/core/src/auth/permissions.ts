// Permissions, and the roles that have them. Data only.

/** Every permission, as `noun:verb`. */
export const PERMISSIONS = [
  'api_token:read',
  'api_token:write',
  'api_token:manage',
  'errlog:read',
  'errlog:write',
  'errlog:manage',
  'errlog:erase',
  'agent:read',
  'agent:write',
  'agent:enroll',
  'change:write',
  'alert:read',
  'alert:write',
  'webhook:manage',
  'enrollment:manage',
  'user:read',
  'user:write',
  'audit:read',
  'metrics:read',
] as const;

/** A permission of a caller. */
export type Permission = (typeof PERMISSIONS)[number];

/** Names of the roles, most powerful first. */
export const ROLE_NAMES = ['master', 'operator', 'viewer'] as const;

/** Role that a user can be given, from most permissions to least. */
export type RoleName = (typeof ROLE_NAMES)[number];

/** Role -> permissions. `api_token:read` and `:write` cover one's own tokens, `:manage` covers everybody's. */
export const ROLES: Record<RoleName, readonly Permission[]> = {
  master: PERMISSIONS,
  operator: [
    'api_token:read',
    'api_token:write',
    'errlog:read',
    'errlog:write',
    'errlog:manage',
    'agent:read',
    'agent:write',
    'agent:enroll',
    'change:write',
    'alert:read',
    'alert:write',
    'enrollment:manage',
    'metrics:read',
  ],
  viewer: ['api_token:read', 'api_token:write', 'errlog:read', 'agent:read', 'alert:read', 'metrics:read'],
};

/** Permissions of an agent's secret beyond the agent's own paths. */
export const AGENT_PERMISSIONS = ['errlog:write'] as const satisfies readonly Permission[];

/** A permission that agents can have. */
export type AgentPermission = (typeof AGENT_PERMISSIONS)[number];

/** Permissions of an enrollment token. */
export const ENROLLMENT_PERMISSIONS = ['agent:enroll'] as const satisfies readonly Permission[];

/** A permission that enrollment tokens can have. */
export type EnrollmentPermission = (typeof ENROLLMENT_PERMISSIONS)[number];

/** Role that has every permission; the administrator of a new installation gets it. */
export const TOP_ROLE: RoleName = ROLE_NAMES[0];

/** Returns the roles that have a permission, most powerful first. */
export const rolesWith = (permission: Permission): RoleName[] =>
  ROLE_NAMES.filter((role) => ROLES[role].includes(permission));

/** Role of a user who came by a provider and has no rights yet. Nobody can be given it: it is no {@link RoleName}. */
export const NO_ROLE = 'none';

/** Returns the permissions of a role; none for an unknown role. */
export function permissionsOf(role: string): readonly Permission[] {
  return (ROLES as Record<string, readonly Permission[] | undefined>)[role] ?? [];
}

/**
 * Permissions that a caller with a filter of sources can have: those whose data is narrowed to its sources. The others
 * are about the whole installation, such as its users, its audit log and its metrics (decision 088).
 */
const WITHIN_SOURCES: readonly Permission[] = [
  'api_token:read',
  'api_token:write',
  'errlog:read',
  'errlog:write',
  'errlog:manage',
  'agent:read',
  'agent:write',
  'alert:read',
  'alert:write',
];

/** Returns the permissions that remain within a filter of sources; an empty one takes none away. */
export const permissionsWithin = (permissions: readonly Permission[], errlogFilter: string): readonly Permission[] =>
  errlogFilter === '' ? permissions : permissions.filter((one) => WITHIN_SOURCES.includes(one));
