// Rules of the Events API v2 of PagerDuty (https://developer.pagerduty.com/docs/send-alert-event).
import type { Answer } from '../start-api.ts';
import { checkFields, isText, type Judge, type Shown } from './service.ts';

const refusal = (...errors: string[]) => ({
  status: 400,
  body: { status: 'invalid event', message: 'Event object is invalid', errors },
});

const ACTIONS = ['trigger', 'acknowledge', 'resolve'];
const SEVERITIES = ['critical', 'error', 'warning', 'info'];

function wrongPayload({ summary, source, severity, timestamp }: Answer = {}): string[] {
  return checkFields({
    "'payload.summary' is missing or too long": isText(summary, 1024),
    "'payload.source' is missing or blank": isText(source, 255),
    "'payload.severity' is invalid": SEVERITIES.includes(severity),
    "'payload.timestamp' is invalid": timestamp === undefined || !Number.isNaN(Date.parse(timestamp)),
  });
}

/** One service with an integration; what is shown are its incidents. */
export function pagerdutyRules(key: string): Judge {
  const shown: Shown[] = [];
  return {
    path: '',
    shown,
    answer({ path, body }) {
      if (path !== '/v2/enqueue') return { status: 404 };
      const { routing_key: given, event_action: action, dedup_key: dedup, payload, links = [] } = body;
      if (given !== key) return refusal("'routing_key' is invalid");
      if (!ACTIONS.includes(action)) return refusal("'event_action' is invalid");
      if (!isText(dedup, 255)) return refusal("'dedup_key' is missing or too long");
      if (Buffer.byteLength(JSON.stringify(body)) > 512 * 1024) return { status: 413 };
      const wrong = action === 'trigger' ? wrongPayload(payload) : [];
      if (!links.every(({ href }: Answer) => URL.canParse(href))) wrong.push("'links' is invalid");
      if (wrong.length > 0) return refusal(...wrong);
      const open = shown.find(({ id, state }) => id === dedup && state !== 'resolved');
      if (action !== 'trigger') {
        if (open !== undefined) open.state = `${action}d`;
      } else if (open === undefined) shown.push({ id: dedup, text: JSON.stringify(payload), state: 'triggered' });
      else open.text = JSON.stringify(payload);
      return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: dedup } };
    },
  };
}
