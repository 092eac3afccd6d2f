// The metrics of a live server, as Prometheus reads them.
import { expect } from 'vitest';
import type { TestApi } from './start-api.ts';

/** Reads `GET /metrics` as the administrator. */
export async function scrape(api: TestApi): Promise<string> {
  const response = await fetch(`${api.url}/metrics`, { headers: { 'edge-token': api.adminToken } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}
