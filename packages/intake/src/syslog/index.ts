// The receiver of syslog, as "@quarterdeck/intake/syslog".
export type { SyslogSockets } from './bind-syslog.ts';
export { type SyslogReceiver, type SyslogStats, startSyslogReceiver } from './syslog-receiver.ts';
