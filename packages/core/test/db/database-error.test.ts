import { expect, it } from 'vitest';
import { fromDriver } from '../../src/db/database-error.ts';
import { DatabaseError, isUniqueViolation, toDatabaseError } from '../../src/db/open/index.ts';

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });
const byPrisma = (cause: object) =>
  Object.assign(new Error('Invalid invocation'), {
    code: 'P2039',
    meta: { driverAdapterError: { name: 'DriverAdapterError', cause } },
  });

it.each([
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_IOERR_FSYNC', 'io'],
  ['SQLITE_READONLY', undefined],
  ['SQLITE_CONSTRAINT_UNIQUE', undefined],
  ['40001', 'busy'],
  ['40P01', 'busy'],
  ['55P03', 'busy'],
  ['53100', 'full'],
  ['53300', 'unavailable'],
  ['57P01', 'unavailable'],
  ['57P03', 'unavailable'],
  ['08006', 'unavailable'],
  ['57014', 'timeout'],
  ['25P03', 'timeout'],
  ['28P01', 'denied'],
  ['3D000', 'denied'],
  ['23505', undefined],
  ['42601', undefined],
])('%s is %s, plain, wrapped, or inside an error of Prisma', (code, kind) => {
  expect(toDatabaseError(coded(code))?.kind).toBe(kind);
  expect(toDatabaseError(new Error('outer', { cause: coded(code) }))?.kind).toBe(kind);
  expect(toDatabaseError(byPrisma({ kind: 'sqlite', originalCode: code }))?.kind).toBe(kind);
});

it('blames the database for system errors only when its driver reports them', () => {
  const refused = new AggregateError([coded('ECONNREFUSED')], 'all attempts failed');
  expect(toDatabaseError(refused)).toBeUndefined();
  expect(fromDriver(refused)).toMatchObject({ kind: 'unavailable', cause: refused });
  expect(fromDriver(new Error('Connection terminated unexpectedly'))).toMatchObject({ kind: 'unavailable' });
  const other = new Error('something else');
  expect(fromDriver(other)).toBe(other);
});

it('passes an error on that is already one', () => {
  const error = new DatabaseError('newer', 'one line');
  expect(toDatabaseError(new Error('outer', { cause: error }))).toBe(error);
});

it('ignores values that are not errors', () => {
  const loop: { cause?: unknown } = {};
  loop.cause = loop;
  for (const thrown of [undefined, null, 'SQLITE_FULL', 7, {}, loop, { meta: null }]) {
    expect(toDatabaseError(thrown)).toBeUndefined();
    expect(isUniqueViolation(thrown)).toBe(false);
  }
});
