// Keys of the lines.
import { contract } from '@quarterdeck/core';
import type { Binding } from '@quarterdeck/views/keys';

const { agent, apiToken, errlog } = contract;

/** Scope of the screen `lines`. */
export const LINE_KEYS = {
  lines: {
    create: {
      keys: ['a'],
      hint: 'new token',
      help: 'While there are none: create a token that sends lines, with its command',
      word: 'first-token',
      access: apiToken.create.access,
      changes: true,
    },
    follow: { keys: ['f'], hint: 'follow', help: 'Go to the newest line and follow', word: 'follow' },
    pause: { keys: ['='], hint: 'pause', help: 'Pause or resume', word: 'pause' },
    around: {
      keys: ['w'],
      hint: 'around',
      help: 'Show the lines before and after this one on its host',
      word: 'around',
    },
    goError: {
      keys: ['g l'],
      hint: 'error',
      help: 'Go to the error of the line',
      word: 'error',
      access: errlog.list.access,
    },
    goAgent: { keys: ['g a'], help: 'Go to the agent of the host', word: 'agent', access: agent.list.access },
    split: {
      keys: ['J'],
      help: 'Split the line, or the marked ones, and all like them off their error; asks first',
      word: 'split',
      access: errlog.split.access,
      changes: true,
      row: true,
    },
    levelMore: { keys: [')'], help: 'Include the next milder level', word: 'milder' },
    levelLess: { keys: ['('], help: 'Show only more severe levels', word: 'severe' },
    nextError: { keys: ['] e'], help: 'Next error or worse', repeats: true, plain: true },
    previousError: { keys: ['[ e'], help: 'Previous error or worse', repeats: true, plain: true },
    nextWarning: { keys: ['] w'], help: 'Next warning', repeats: true, plain: true },
    previousWarning: { keys: ['[ w'], help: 'Previous warning', repeats: true, plain: true },
    bySource: { keys: ['b s'], help: 'Show only this source', word: 'only-source' },
    byService: { keys: ['b v'], help: 'Show only this service', word: 'only-service' },
    byLevel: { keys: ['b l'], help: 'Show only this level', word: 'only-level' },
    byApp: { keys: ['b a'], help: 'Show only this application', word: 'only-app' },
    byRequest: { keys: ['b r'], help: 'Show only this request', word: 'only-request' },
    byError: { keys: ['b e'], help: 'Show only the lines of this error', word: 'only-error' },
    clearFilter: { keys: ['b 0'], help: 'Clear the filter', word: 'all' },
  },
} as const satisfies Record<string, Record<string, Binding>>;
