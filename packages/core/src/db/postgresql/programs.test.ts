import { describe, expect, it } from 'vitest';
import { connectionEnvironment, runProgram } from './programs.ts';

const ALWAYS = { PGAPPNAME: 'quarterdeck backup', PGCONNECT_TIMEOUT: '10' };

describe('connectionEnvironment', () => {
  it.each([
    [
      'postgresql://q:p%40ss%2F@db.example:5433/deck?sslmode=verify-full&sslrootcert=/ca.pem',
      { host: 'db.example', port: 5433 },
      {
        PGHOST: 'db.example',
        PGPORT: '5433',
        PGUSER: 'q',
        PGPASSWORD: 'p@ss/',
        PGDATABASE: 'deck',
        PGSSLMODE: 'verify-full',
        PGSSLROOTCERT: '/ca.pem',
      },
    ],
    ['postgres://[::1]/deck', { host: '::1', port: 5432 }, { PGHOST: '::1', PGPORT: '5432', PGDATABASE: 'deck' }],
    [
      'postgresql:///deck?host=/run/postgresql',
      { host: '/run/postgresql', port: 5432 },
      { PGHOST: '/run/postgresql', PGPORT: '5432', PGDATABASE: 'deck' },
    ],
    [
      'postgresql://q@a,b:5433/deck?target_session_attrs=read-write',
      { host: 'b', port: 5433 },
      { PGHOST: 'b', PGPORT: '5433', PGUSER: 'q', PGDATABASE: 'deck' },
    ],
  ])('of %s', (address, at, expected) => {
    expect(connectionEnvironment(address, at)).toEqual({ ...ALWAYS, ...expected });
  });
});

it('says which program to install where it is missing', async () => {
  await expect(runProgram('pg_dump', [], { PATH: '/nowhere' })).rejects.toMatchObject({
    kind: 'io',
    message: expect.stringMatching(/^pg_dump was not found on the path; install /),
  });
});
