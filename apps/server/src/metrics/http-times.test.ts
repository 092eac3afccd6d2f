import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Incoming } from '@quarterdeck/express/parts';
import { expect, it } from 'vitest';
import { createHttpTimes } from './http-times.ts';

it('counts a request whose client left before the answer with the status 499', () => {
  const { step, families } = createHttpTimes();
  const statuses: unknown[] = [];
  for (const headersSent of [true, false]) {
    // Node has 200 in `statusCode` until a head is sent.
    const response = Object.assign(new EventEmitter(), { headersSent, statusCode: 200 });
    step({ method: 'GET' } as Incoming, response as unknown as ServerResponse);
    response.emit('close');
  }
  for (const { metricName, labels } of families[0]?.read() ?? []) {
    if (metricName?.endsWith('_count') === true) statuses.push(labels?.['status']);
  }
  expect(statuses).toEqual([200, 499]);
});
