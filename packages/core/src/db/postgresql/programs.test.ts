import { describe, expect, it } from 'vitest';
import { connectionEnvironment, runProgram } from './programs.ts';

const ALWAYS = { PGAPPNAME: 'quarterdeck backup', PGCONNECT_TIMEOUT: '10' };

describe('connectionEnvironment', () => {
  it.each([
    [
      'postgresql://q:p%40ss%2F@db.example:5433/deck?sslmode=verify-full&sslrootcert=/ca.pem',
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
    ['postgres://[::1]/deck', { PGHOST: '::1', PGDATABASE: 'deck' }],
    ['postgresql:///deck?host=/run/postgresql', { PGHOST: '/run/postgresql', PGDATABASE: 'deck' }],
  ])('of %s', (address, expected) => {
    expect(connectionEnvironment(address)).toEqual({ ...ALWAYS, ...expected });
  });
});

it('says which program to install where it is missing', async () => {
  await expect(runProgram('pg_dump', [], { PATH: '/nowhere' })).rejects.toMatchObject({
    kind: 'io',
    message: expect.stringMatching(/^pg_dump was not found on the path; install /),
  });
});
