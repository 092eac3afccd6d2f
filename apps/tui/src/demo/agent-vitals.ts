// Demo: how busy hosts are. Every fifth host has busy processors and a disk that fills.
import { VITALS_DAYS, type VitalsSample } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';

const MINUTE_S = 60;
const DAY_S = 86_400;
/** Most minutes of an answer. */
const MINUTES_MAX = VITALS_DAYS * (DAY_S / MINUTE_S);
const GIB = 1024 ** 3;
const SIZE = 100 * GIB;
/** Minutes in which a disk goes from half full to full. */
const FILLS_IN = 600;

/** A value that goes up and down over the minutes, from `low` to `high`. */
const wave = (minute: number, period: number, low: number, high: number): number =>
  low + ((high - low) * (1 + Math.sin((2 * Math.PI * minute) / period))) / 2;

const disk = (percent: number) => {
  const used = Math.round((SIZE * percent) / 100);
  return { used, free: SIZE - used };
};

/** Vitals of a host by the minute up to its last report. `nowS`: the disk that fills is at 95 %. */
export function vitalsOf({ id, last_reported: reported }: Agent, startS: number, endS: number, nowS: number) {
  const isBusy = id % 5 === 1;
  const first = Math.max(Math.ceil(startS / MINUTE_S), Math.floor(endS / MINUTE_S) - MINUTES_MAX);
  const samples: VitalsSample[] = [];
  for (let minute = first; minute * MINUTE_S <= Math.min(endS, reported); minute += 1) {
    const at = minute + id * 7;
    const beforeNow = nowS / MINUTE_S - minute;
    const filling = Math.min(95, Math.max(45, 95 - (50 * beforeNow) / FILLS_IN));
    const cpu = isBusy && beforeNow < 90 ? 97 : wave(at, 180, 12, 55);
    samples.push({
      time: minute * MINUTE_S,
      cpu,
      memory: wave(at, 360, 48, 72),
      swap: 0,
      disk: { '/': disk(41), '/var': disk(isBusy ? filling : 52) },
      load: [cpu / 25, cpu / 26, cpu / 27],
      cores: 4,
      uptime: 40 * DAY_S,
      fds: 2_800,
      tcp: 120,
    });
  }
  return samples;
}
