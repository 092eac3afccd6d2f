// Queries about the table `setting`: facts that an installation keeps about itself, by name.
import type { Tx } from '../open/index.ts';

/** The value of a setting; undefined where it is not set. */
export async function readSetting(tx: Tx, name: string): Promise<string | undefined> {
  return (await tx.prisma.setting.findUnique({ where: { name } }))?.value;
}

/** Values of some settings as they are at one moment, by name. */
export async function readSettings(tx: Tx, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.prisma.setting.findMany({ where: { name: { in: [...names] } } });
  return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function storeSetting(tx: Tx, name: string, value: string): Promise<void> {
  await tx.prisma.setting.upsert({ where: { name }, create: { name, value }, update: { value } });
}

export async function removeSettings(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.prisma.setting.deleteMany({ where: { name: { in: [...names] } } });
}

/** Sets a setting unless it is set; returns its value. One statement decides, so servers that start together agree. */
export async function initSetting(tx: Tx, name: string, value: string): Promise<string> {
  const row = await tx.prisma.setting.upsert({ where: { name }, create: { name, value }, update: { name } });
  return row.value;
}
