// Bounds the names of hosts and services in lines of syslog, by the address that they come from.

import { OTHER_NAME, SenderNames } from '../base/sender-names.ts';
import type { Sender } from './line-queue.ts';
import type { SyslogLine } from './syslog-line.ts';

/** Receives the number of lines since the last report, and since the start. */
type OnOther = (lines: number, total: number, kind: 'host' | 'service') => void;

/** Names of hosts and services. */
export interface KnownNames {
  readonly hosts: readonly string[];
  readonly services: readonly string[];
}

/** Admits hosts and services. */
export class SyslogNames {
  readonly #hosts: SenderNames;
  readonly #services: SenderNames;

  constructor(newPerHour: number | undefined, onOther: OnOther) {
    const limit = newPerHour === undefined ? {} : { newPerHour };
    this.#hosts = new SenderNames({ ...limit, onOther: (lines) => onOther(lines, this.#hosts.others, 'host') });
    this.#services = new SenderNames({
      ...limit,
      onOther: (lines) => onOther(lines, this.#services.others, 'service'),
    });
  }

  /** Makes names known that were admitted before a restart, the oldest first. */
  know({ hosts, services }: KnownNames): void {
    this.#hosts.know(hosts);
    this.#services.know(services);
  }

  /** Number of replaced names. */
  get others(): number {
    return this.#hosts.others + this.#services.others;
  }

  /**
   * Returns the sender under which a line is stored. Replaces its service if the sender has as many as it may have.
   *
   * @param hostname name of the host, or `''` for the address
   * @param now Unix seconds
   */
  admit(line: SyslogLine, address: string, hostname: string, now: number): Sender {
    if (line.service !== undefined) line.service = this.#services.admit(address, line.service, now, line.count);
    const host = this.#hosts.admit(address, hostname || address, now, line.count);
    // Lines of many addresses have this name.
    return { address: host === OTHER_NAME ? '' : address, hostname: host };
  }

  /** Reports the lines since the last report. */
  close(): void {
    this.#hosts.close();
    this.#services.close();
  }
}
