// Certificates that an agent finds in files and on ports of its host.
import * as z from 'zod';
import { text, UnixSeconds } from './primitives.ts';

/** A certificate at one place of a host. */
export const HostCertificate = z.object({
  place: text(500).min(1).meta({ description: 'Path of the file, or HOST:PORT' }),
  subject: text(200),
  issuer: text(200),
  fingerprint: z
    .string()
    .regex(/^[\da-f]{16}$/, 'must be 16 hexadecimal digits')
    .meta({ description: 'The first 16 hexadecimal digits of the SHA-256 of the certificate' }),
  expire: UnixSeconds.meta({ description: 'End of its validity' }),
});
export type HostCertificate = z.infer<typeof HostCertificate>;

/** Most certificates of a host in a report. */
export const HOST_CERTIFICATES_MAX = 200;
