// Credentials of a fake that accepts only some.
import { AppError, type Endpoint } from '@quarterdeck/core';

/**
 * Refuses callers without one of these credentials, as far as an endpoint needs one. The first of several headers
 * decides.
 *
 * @throws AppError `credential_missing` or `credential_invalid`
 */
export function requireCredential({ access }: Endpoint, headers: Headers, accepted: readonly string[]): void {
  if (access === 'public') return;
  const bearer = headers.get('authorization')?.replace(/^Bearer /i, '');
  const given = headers.get('api-token') ?? headers.get('edge-token') ?? headers.get('auth') ?? bearer;
  if (given === undefined) throw new AppError('credential_missing');
  if (!accepted.includes(given)) throw new AppError('credential_invalid');
}
