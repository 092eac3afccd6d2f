// What there is to be allowed, and which role is allowed what. Data only.

/** Every permission, as `noun:verb`. */
export const PERMISSIONS = [
  'api_token:read',
  'api_token:write',
  'api_token:manage',
  'errlog:read',
  'errlog:write',
  'errlog:manage',
  'agent:read',
  'agent:write',
  'agent:enroll',
  'enrollment:manage',
  'user:read',
  'user:write',
  'audit:read',
  'metrics:read',
] as const;

/** One thing a caller may be allowed to do. */
export type Permission = (typeof PERMISSIONS)[number];

/** Names of the roles, most powerful first. */
export const ROLE_NAMES = ['master', 'operator', 'viewer'] as const;

/** Name of a role. */
export type RoleName = (typeof ROLE_NAMES)[number];

/** Role -> permissions. `api_token:read` and `:write` are about one's own tokens, `:manage` is about everybody's. */
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
    'enrollment:manage',
    'metrics:read',
  ],
  viewer: ['api_token:read', 'api_token:write', 'errlog:read', 'agent:read', 'metrics:read'],
};

/** What an agent's secret opens besides the agent's own paths. */
export const AGENT_PERMISSIONS = ['errlog:write'] as const satisfies readonly Permission[];

/** A permission that an agent has too. */
export type AgentPermission = (typeof AGENT_PERMISSIONS)[number];

/** What an enrolment token opens. */
export const ENROLLMENT_PERMISSIONS = ['agent:enroll'] as const satisfies readonly Permission[];

/** A permission that an enrolment token has too. */
export type EnrollmentPermission = (typeof ENROLLMENT_PERMISSIONS)[number];

/** Name of the role that may do everything: the administrator of a new installation has it. */
export const TOP_ROLE: RoleName = ROLE_NAMES[0];

/** Names of the roles that have a permission, most powerful first. */
export const rolesWith = (permission: Permission): RoleName[] =>
  ROLE_NAMES.filter((role) => ROLES[role].includes(permission));

/** Permissions of a role by name; none for a name that is not a role. */
export function permissionsOf(role: string): readonly Permission[] {
  return (ROLES as Record<string, readonly Permission[] | undefined>)[role] ?? [];
}
