// Keys of the screens about alerts, their rules, and channels.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';
import { create, edit, onRow, remove, rotate, test, toggle } from './calls.ts';

const { alert, webhook } = contract;

/** Scopes of the screens about alerts. */
export const ALERT_KEYS = {
  alerts: {
    openSubject: {
      keys: ['enter'],
      hint: 'go there',
      help: 'Details: go to what the alert is about',
      plain: true,
      yields: true,
    },
    acknowledge: {
      keys: ['a'],
      hint: 'acknowledge',
      help: 'Acknowledge the alert, or the marked ones, with a note: no more messages until it ends',
      word: 'acknowledge',
      ...onRow(alert.acknowledge),
    },
    assign: {
      keys: ['A'],
      hint: 'assign',
      help: 'Assign the alert, or the marked ones, to you, another user or no one',
      word: 'assign',
      ...onRow(alert.assign),
    },
    mute: {
      keys: ['M'],
      hint: 'mute',
      help: 'Mute the alert with its errors, or the marked ones, or end the mute',
      word: 'mute',
      ...onRow(alert.mute),
    },
    openOnly: { keys: ['u'], hint: 'firing only', help: 'Show only alerts that fire now, or all', word: 'firing' },
    subject: {
      keys: ['o'],
      hint: 'go there',
      help: 'Go to what the alert is about: error, source, agent, token',
      word: 'subject',
      row: true,
    },
    goChange: {
      keys: ['g c'],
      hint: 'suspected change',
      help: 'Go to the suspected change, or to the error with it',
      word: 'suspected-change',
      row: true,
    },
    copyLink: {
      keys: ['y l'],
      help: 'Copy a link of the alert: its page, error, change, runbook',
      word: 'link',
      row: true,
    },
    rule: { keys: ['g R'], hint: 'its rule', help: 'Go to the rule of this alert', word: 'alert-rule', row: true },
  },
  alertRules: {
    create: create(alert.create, 'Add a rule, with a preview of the last 24 hours'),
    edit: edit(alert.update, 'Change the rule, with a preview of the last 24 hours'),
    test: test(alert.test, 'Send a test message to the channels of the rule; asks first'),
    explain: {
      keys: ['w'],
      hint: 'why',
      help: 'Show why the rule fires or does not fire now',
      word: 'why',
      access: alert.explain.access,
      row: true,
    },
    toggle: toggle(alert.update, 'Disable or enable the rule, or the marked ones; asks first'),
    remove: remove(alert.remove, 'Delete the rule, or the marked ones; asks first'),
    alerts: {
      keys: ['g A'],
      hint: 'its alerts',
      help: 'Go to the alerts of this rule',
      word: 'rule-alerts',
      row: true,
    },
  },
  webhooks: {
    deliveries: {
      keys: ['enter', 'o', 'g d'],
      hint: 'deliveries',
      help: 'Show the deliveries of this channel',
      word: 'channel-deliveries',
      access: webhook.deliveries.access,
      yields: true,
      row: true,
    },
    create: create(webhook.create, 'Add a channel'),
    edit: edit(webhook.update, 'Change name, address, recipients and events of the channel'),
    test: test(webhook.test, 'Send a test message to the channel; tries what waits at once'),
    rotate: rotate(webhook.rotate, 'Give the channel a new secret; asks first'),
    toggle: toggle(webhook.update, 'Disable or enable the channel, or the marked ones; asks first'),
    remove: remove(webhook.remove, 'Delete the channel, or the marked ones; asks first'),
  },
  deliveries: {
    redeliver: {
      keys: ['A'],
      hint: 'send again…',
      help: 'Send the message, or the marked ones, again; asks first',
      word: 'redeliver',
      ...onRow(webhook.redeliver),
    },
  },
} as const satisfies Record<string, Record<string, Binding>>;
