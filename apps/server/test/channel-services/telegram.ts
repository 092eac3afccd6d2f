// Rules of the Bot API of Telegram 9 (https://core.telegram.org/bots/api).
import type { Judge, ServiceAnswer, Shown } from './service.ts';

const TEXT_MAX = 4096;

const refusal = (status: number, description: string): ServiceAnswer => ({
  status,
  body: { ok: false, error_code: status, description },
});

/** The visible text of HTML; undefined where Telegram cannot parse it. */
function visible(html: string): string | undefined {
  const open: string[] = [];
  let isWrong = false;
  const text = html.replaceAll(/<(\/?)(\w+)([^>]*)>/g, (_, slash: string, name: string, rest: string) => {
    if (!['b', 'a', 'pre', 'code'].includes(name)) isWrong = true;
    else if (slash === '') open.push(name);
    else if (open.pop() !== name) isWrong = true;
    if (rest !== '' && !/^ href="[^"]+"$/.test(rest)) isWrong = true;
    return '';
  });
  const rest = text.replaceAll(/&(?:lt|gt|amp|quot);/g, 'x');
  if (isWrong || open.length > 0 || /[<>&]/.test(rest)) return undefined;
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
  return text.replaceAll(/&(lt|gt|amp|quot);/g, (_, name: string) => signs[name] ?? '');
}

/** A bot in one chat. */
export function telegramRules(token: string, chat: string): Judge {
  const shown: Shown[] = [];
  return {
    path: '',
    shown,
    answer({ path, body }) {
      const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
      if (given !== token) return refusal(401, 'Unauthorized');
      const { chat_id: chatId, text, parse_mode: mode, message_id: id } = body;
      if (chatId !== chat) return refusal(400, 'Bad Request: chat not found');
      if (mode !== 'HTML' || typeof text !== 'string') return refusal(400, 'Bad Request: message text is empty');
      const seen = visible(text);
      if (seen === undefined) return refusal(400, "Bad Request: can't parse entities: Unexpected end tag");
      if (seen.trim() === '') return refusal(400, 'Bad Request: message text is empty');
      if (seen.length > TEXT_MAX) return refusal(400, 'Bad Request: message is too long');
      const result = (messageId: number) => ({
        status: 200,
        body: { ok: true, result: { message_id: messageId, text: seen } },
      });
      if (method === 'sendMessage') {
        shown.push({
          id: String(shown.length + 100),
          text: seen,
          state: body.disable_notification ? 'silent' : 'loud',
        });
        return result(shown.length + 99);
      }
      if (method !== 'editMessageText') return refusal(404, 'Not Found');
      const known = shown.find((one) => one.id === String(id));
      if (known === undefined) return refusal(400, 'Bad Request: message to edit not found');
      if (known.text === seen) {
        const same = 'specified new message content and reply markup are exactly the same as a current content';
        return refusal(400, `Bad Request: message is not modified: ${same} and reply markup of the message`);
      }
      Object.assign(known, { text: seen, state: 'edited' });
      return result(id);
    },
  };
}
