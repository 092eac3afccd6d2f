// Rows of the certificates that agents find on their hosts.
import type { HostCertificate } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';

/**
 * Stores all certificates of a locked agent: places that it no longer reports are removed. A place with another
 * certificate keeps which one that replaced.
 */
export async function storeCertificates(
  tx: Tx,
  agentId: number,
  reported: readonly HostCertificate[],
  nowMs: number,
): Promise<void> {
  const rows = await tx.prisma.agentCertificate.findMany({ where: { agentId } });
  const before = new Map(rows.map((row) => [row.place, row]));
  const now = new Map(reported.map((certificate) => [certificate.place, certificate]));
  const changed = [...now.values()].filter(({ place, fingerprint }) => before.get(place)?.fingerprint !== fingerprint);
  const replaced = [...before.keys()].filter((place) => !now.has(place));
  if (changed.length + replaced.length === 0) return;
  const places = [...replaced, ...changed.map(({ place }) => place)];
  await tx.prisma.agentCertificate.deleteMany({ where: { agentId, place: { in: places } } });
  await tx.prisma.agentCertificate.createMany({
    data: changed.map(({ place, subject, issuer, fingerprint, expire }) => ({
      agentId,
      place,
      subject,
      issuer,
      fingerprint,
      expireMs: expire * 1000,
      foundMs: nowMs,
      formerFingerprint: before.get(place)?.fingerprint ?? '',
      formerExpireMs: before.get(place)?.expireMs ?? 0,
    })),
  });
  // Rules about certificates look at once.
  tx.signal();
}
