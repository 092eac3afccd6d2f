import { ById } from '../domain/primitives.ts';
import { ProfileSync, ServerVersion } from '../domain/system.ts';
import { endpoint } from './endpoint.ts';

export const system = {
  version: endpoint({
    method: 'GET',
    path: '/admin-api/version',
    summary: 'Version of this server, in the form the official client reads',
    unknownInput: 'ignored',
    access: 'signed_in',
    narrowed: true,
    data: ServerVersion,
  }),
  /** The official client asks whether profiles are still on their way to nodes; there are none. */
  profileSync: endpoint({
    method: 'GET',
    path: '/admin-api/profiles/{id}/sync_to_all',
    summary: 'Always false: there are no profiles to send to nodes',
    unknownInput: 'ignored',
    access: 'signed_in',
    narrowed: true,
    params: ById,
    data: ProfileSync,
  }),
};
