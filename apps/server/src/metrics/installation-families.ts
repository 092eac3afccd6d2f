// Metrics of the installation: its fleet, its credentials, its disk, its upkeep, and the messages about it.
import type { BackupStats } from '../backup/backups.ts';
import type { AlertStats } from '../features/alert/round.ts';
import type { AuditSender } from '../features/audit/sending/audit-sender.ts';
import type { RetentionStats } from '../features/errlog/errlog.retention.ts';
import type { SenderStats } from '../features/webhook/webhook.sender.ts';
import { byLabel, type Family, single } from './family.ts';
import type { InstallationReader } from './installation.ts';

const inSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

/** Numbers of the fleet, the credentials, the disk and retention. */
export function installationFamilies(
  { latest }: Pick<InstallationReader, 'latest'>,
  retention: () => RetentionStats,
): readonly Family[] {
  return [
    byLabel('gauge', 'quarterdeck_agents', 'Agents by state', 'state', () => latest()?.agents),
    byLabel('gauge', 'quarterdeck_api_tokens', 'API tokens by state', 'state', () => latest()?.tokens),
    single(
      'gauge',
      'quarterdeck_disk_free_bytes',
      'Free bytes of the disk with the data folder',
      () => latest()?.disk.free,
    ),
    single('gauge', 'quarterdeck_disk_size_bytes', 'Size of the disk with the data folder', () => latest()?.disk.size),
    single(
      'gauge',
      'quarterdeck_retention_last_run_timestamp_seconds',
      'Time of the last complete run of retention',
      () => inSeconds(retention().lastRunMs),
    ),
    byLabel('counter', 'quarterdeck_retention_deleted_total', 'What retention has deleted by kind', 'kind', () => {
      const { groups, lines } = retention();
      return { groups, lines };
    }),
  ];
}

/** Sources of {@link messageFamilies}. */
export interface MessageSources {
  readonly installation: Pick<InstallationReader, 'latest'>;
  readonly alerts: () => AlertStats;
  readonly deliveries: () => SenderStats;
}

/** Alerts, and the messages to channels. */
export function messageFamilies({ installation, alerts, deliveries }: MessageSources): readonly Family[] {
  const { latest } = installation;
  return [
    single('gauge', 'quarterdeck_alerts_firing', 'Open alerts', () => latest()?.alertsFiring),
    byLabel(
      'counter',
      'quarterdeck_alert_changes_total',
      'Alerts that this server fired and resolved',
      'change',
      () => {
        const { fired, resolved } = alerts();
        return { fired, resolved };
      },
    ),
    single(
      'counter',
      'quarterdeck_alert_rule_failures_total',
      'Evaluations of alert rules that failed',
      () => alerts().failures,
    ),
    single(
      'gauge',
      'quarterdeck_webhook_deliveries_waiting',
      'Messages that wait to be delivered to a channel',
      () => latest()?.deliveries.waiting,
    ),
    single(
      'gauge',
      'quarterdeck_webhook_oldest_waiting_timestamp_seconds',
      'Time at which the message that waits longest was queued; absent without one',
      () => inSeconds(latest()?.deliveries.oldestMs),
    ),
    single(
      'gauge',
      'quarterdeck_webhook_deliveries_dead',
      'Messages that were given up and are kept',
      () => latest()?.deliveries.dead,
    ),
    byLabel(
      'counter',
      'quarterdeck_webhook_deliveries_total',
      'Attempts to deliver messages by outcome: delivered, failed (and repeated), dead',
      'outcome',
      () => {
        const { delivered, failed, dead } = deliveries();
        return { delivered, failed, dead };
      },
    ),
  ];
}

/** Backups on a schedule. */
export function backupFamilies(backups: () => BackupStats | undefined): readonly Family[] {
  return [
    single(
      'gauge',
      'quarterdeck_backup_age_seconds',
      'Age of the last good backup; without one, the time since the start. Absent without QUARTERDECK_BACKUP_DIR',
      () => backups()?.ageS,
    ),
    single('gauge', 'quarterdeck_backup_size_bytes', 'Size of the last good backup', () => backups()?.bytes),
    byLabel('counter', 'quarterdeck_backups_total', 'Backups that this server made by outcome', 'outcome', () => {
      const stats = backups();
      return stats && { made: stats.made, failed: stats.failures };
    }),
  ];
}

/** Sending of the audit log to syslog and OTLP. */
export function auditFamilies(senders: readonly Pick<AuditSender, 'name' | 'stats'>[]): readonly Family[] {
  const counts = (of: 'sent' | 'failures') => () =>
    Object.fromEntries(senders.map(({ name, stats }) => [name, stats()[of]]));
  return [
    byLabel(
      'counter',
      'quarterdeck_audit_entries_sent_total',
      'Audit entries that this server sent, by receiver. Absent without one',
      'receiver',
      counts('sent'),
    ),
    byLabel(
      'counter',
      'quarterdeck_audit_send_failures_total',
      'Attempts to send audit entries that failed and are repeated, by receiver',
      'receiver',
      counts('failures'),
    ),
  ];
}
