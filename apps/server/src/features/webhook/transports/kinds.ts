// The table of kinds of channels.
import type { WebhookKind } from '@quarterdeck/core';
import { alertmanager } from './alertmanager.ts';
import { type ChannelKind, FOLLOWED_UP, type HttpKind } from './channel-kind.ts';
import { discord } from './discord.ts';
import { ntfy } from './ntfy.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { pushover } from './pushover.ts';
import { slack } from './slack.ts';
import { standard } from './standard.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';

/** Kind of a channel -> form of its requests. */
export const HTTP_KINDS: Readonly<Record<Exclude<WebhookKind, 'email'>, HttpKind>> = {
  standard,
  slack,
  teams,
  alertmanager,
  ntfy,
  telegram,
  discord,
  pagerduty,
  pushover,
  opsgenie,
};

/** Every kind of channel. */
export const CHANNEL_KINDS: Readonly<Record<WebhookKind, ChannelKind>> = {
  ...HTTP_KINDS,
  email: { later: FOLLOWED_UP },
};
