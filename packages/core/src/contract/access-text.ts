import { type Access, isConfirmedAccess, permissionFor } from '../auth/can.ts';

/** Describes who may use an endpoint with this access, as a sentence. */
export function accessText(access: Access): string {
  if (access === 'public') return 'Open to anybody.';
  if (access === 'signed_in') return 'For anybody who is signed in.';
  if (access === 'agent') return 'For the agent itself, with its secret.';
  if (access === 'session') return 'For sessions only.';
  if (access === 'api_token') return 'For API tokens only.';
  const needs = `Needs the permission \`${permissionFor(access)}\``;
  if (!isConfirmedAccess(access)) return `${needs}.`;
  return `${needs}, and a session that signed in or confirmed itself within the last 10 minutes.`;
}
