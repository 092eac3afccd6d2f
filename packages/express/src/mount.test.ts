// Routes of a contract of the test.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AppError, endpoint } from '@quarterdeck/core';
import express, { type ErrorRequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mount, type Pipeline } from './mount.ts';

const buoy = {
  old: endpoint({
    method: 'GET',
    path: '/admin-api/buoy/old',
    summary: 'Where a buoy is',
    access: 'public',
    data: z.object({ place: z.string() }),
    deprecated: { since: '2027-01-31', sunset: '2027-08-01', use: 'GET /admin-api/buoy' },
  }),
  gone: endpoint({
    method: 'GET',
    path: '/admin-api/buoy/gone',
    summary: 'Fails',
    access: 'public',
    data: z.undefined(),
    deprecated: { since: '2027-01-31', sunset: '2027-08-01', use: 'GET /admin-api/buoy' },
  }),
  place: endpoint({
    method: 'GET',
    path: '/admin-api/buoy',
    summary: 'Where a buoy is',
    access: 'public',
    data: z.object({ place: z.string() }),
  }),
};

const pipeline: Pipeline<null> = { identify: async () => null, callerOf: () => null, now: () => 0 };

const refuse: ErrorRequestHandler = (error: AppError, _req, res, _next) => void res.status(error.status).end();

let server: ReturnType<ReturnType<typeof express>['listen']>;
let url: string;
beforeAll(async () => {
  const place = async () => ({ place: 'off the mole' });
  const gone = () => Promise.reject(new AppError('not_found'));
  const app = express();
  app.use(mount({ buoy }, { buoy: { old: place, gone, place } }, pipeline));
  app.use(refuse);
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('a deprecated endpoint', () => {
  it.each([
    ['old', 200],
    ['gone', 404],
  ])('says since when and until when, also in a failure: %s', async (name, status) => {
    const answer = await fetch(`${url}/admin-api/buoy/${name}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe('@1801353600');
    expect(answer.headers.get('sunset')).toBe('Sun, 01 Aug 2027 00:00:00 GMT');
  });

  it('is the only kind that does', async () => {
    const { headers } = await fetch(`${url}/admin-api/buoy`);
    expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null]);
  });
});
