// Messages for events that concern the user on every screen.
import { eventMessage } from '@quarterdeck/views/live';
import { useEvents } from '@quarterdeck/views/react';
import { useDashboard } from '../context/dashboard.ts';
import { pressTo } from '../keys/key-hints.ts';

/** Shows the messages; draws nothing itself. */
export function EventMessages(): null {
  const { say, keyOf } = useDashboard();
  useEvents((events) => {
    const ways = {
      alerts: pressTo(keyOf('app.goAlerts'), 'list alerts'),
      outages: pressTo(keyOf('app.goOutages'), 'list outages'),
    };
    for (const event of events) {
      const message = eventMessage(event, ways);
      if (message !== undefined) say(message);
    }
  });
  return null;
}
