// Rules of the webhooks of Discord, version 10 of its API (https://discord.com/developers/docs/resources/webhook).
import type { Answer } from '../start-api.ts';
import { checkFields, isText, type Judge, type Shown } from './service.ts';

const refusal = (status: number, code: number, message: string, more: object = {}) => ({
  status,
  body: { message, code, ...more },
});

const LIMITS = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4', 'x-ratelimit-reset-after': '2' };

const isEmbed = ({ title = '', description = '', color }: Answer) =>
  isText(title, 256, 0) && isText(description, 4096, 0) && Number.isInteger(color) && color <= 0xffffff;

/** One webhook of a channel. */
export function discordRules(token: string): Judge {
  const shown: Shown[] = [];
  const webhook = `/api/webhooks/4711/${token}`;
  return {
    path: webhook,
    shown,
    answer({ method, path, body }) {
      const { pathname, searchParams } = new URL(path, 'http://discord.example');
      if (!pathname.startsWith('/api/webhooks/4711/')) return refusal(404, 10_015, 'Unknown Webhook');
      if (!pathname.startsWith(webhook)) return refusal(401, 50_027, 'Invalid Webhook Token');
      const { content = '', embeds = [], allowed_mentions: mentions } = body;
      if (content === '' && embeds.length === 0) return refusal(400, 50_006, 'Cannot send an empty message');
      const total = embeds.reduce((sum: number, one: Answer) => sum + one.title.length + one.description.length, 0);
      const wrong = checkFields({
        content: isText(content, 2000, 0),
        embeds: embeds.length <= 10 && embeds.every(isEmbed) && total <= 6000,
        // Without it, a mention in the text reaches everybody.
        allowed_mentions: Array.isArray(mentions?.parse) && mentions.parse.length === 0,
      });
      if (wrong.length > 0)
        return refusal(400, 50_035, 'Invalid Form Body', {
          errors: Object.fromEntries(wrong.map((field) => [field, {}])),
        });
      const [embed] = embeds;
      const text = `${embed.title}\n${embed.description}`;
      if (method === 'PATCH') {
        const known = shown.find((one) => pathname === `${webhook}/messages/${one.id}`);
        if (known === undefined) return refusal(404, 10_008, 'Unknown Message');
        Object.assign(known, { text, state: String(embed.color) });
        return { status: 200, headers: LIMITS, body: { id: known.id, type: 0, embeds } };
      }
      const id = String(1_200_000_000_000_000_000n + BigInt(shown.length));
      shown.push({ id, text, state: String(embed.color) });
      return searchParams.get('wait') === 'true'
        ? { status: 200, headers: LIMITS, body: { id, type: 0, embeds } }
        : { status: 204, headers: LIMITS };
    },
  };
}
