import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { alert, channelOf, messageOf } from '../../../../test/messages.ts';
import { standard } from './standard.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const message = messageOf('alert.firing', { ...alert, title: 'ä 漢字 🙂' });

describe('standard', () => {
  it.each([
    ['its secret', [SECRET], SECRET],
    ['the new secret during a rotation', [SECRET, OLD_SECRET], SECRET],
    ['the old secret during a rotation', [SECRET, OLD_SECRET], OLD_SECRET],
  ])('is verified by a receiver with %s', (_, secrets, secret) => {
    const { headers = {}, body } = standard.post(channelOf('standard', { secrets }), message, Date.now());
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(message.body));
  });

  it('is not verified with another secret, body or id', () => {
    const { headers = {}, body } = standard.post(channelOf('standard', { secrets: [SECRET] }), message, Date.now());
    expect(() => new Webhook(OLD_SECRET).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow('No matching');
  });

  it('has the time of the attempt and the id of the message', () => {
    const first = standard.post(channelOf('standard', { secrets: [SECRET, OLD_SECRET] }), message, 1_700_000_000_999);
    expect(first.headers).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/),
    });
  });
});
