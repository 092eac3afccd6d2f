import { afterEach, beforeEach, expect, it } from 'vitest';
import { setZone } from '../text/zone.ts';
import { detailWords } from './detail-words.ts';

beforeEach(() => setZone('utc'));
afterEach(() => setZone('local'));

it.each([
  [
    { token_id: 7, name: 'ci', last_used: 1_795_725_806, last_address: '192.0.2.7', last_client: 'curl/8' },
    'Name ci; Last used 2026-11-26 20:43:26; Last used from 192.0.2.7; Last used by curl/8',
  ],
  [{ name: 'ci', last_used: null, last_address: '', last_client: '' }, 'Name ci; Last used never'],
  [
    {
      group: 184,
      level: 4,
      src: 8,
      source: 'web-1',
      first_seen: 1_795_725_806,
      fingerprint: 'ab12',
      app_id: 0,
      count: 4_200,
    },
    'Level ERROR; Source web-1; First seen 2026-11-26 20:43:26; Count 4,200',
  ],
  [
    { n: 31, within: 300, group: { group: 9, log: 'it burns', log_time: 1_795_725_806 } },
    'Count 31; Within 5m; Message it burns; Last seen 2026-11-26 20:43:26',
  ],
  [
    { agent_id: 3, hostname: 'gw-3', labels: { site: 'ams' }, away_s: 61, lost: 1_795_725_806 },
    'Host gw-3; Labels site ams; Away 1m1s; Lost 2026-11-26 20:43:26',
  ],
  [
    {
      outage_id: 4,
      lost: 12,
      sample: [
        { id: 1, hostname: 'gw-1' },
        { id: 2, hostname: 'gw-2' },
      ],
    },
    'Lost 12; Some of them gw-1, gw-2',
  ],
  [
    { free_bytes: 812_000_000, total_bytes: 20_000_000_000, check: 'Make space.' },
    'Free 812 MB; In total 20 GB; Next step Make space.',
  ],
  [
    { name: 'deploy', expire: 1_795_725_806, user_id: 1, some_new_field: true },
    'Name deploy; Expires 2026-11-26 20:43:26; Some new field yes',
  ],
])('says %j in words', (detail, words) => {
  expect(
    detailWords({ detail })
      .map(({ label, value }) => `${label} ${value}`)
      .join('; '),
  ).toBe(words);
});
