// What can be the matter with the database: its standbys, its copies, its growth.
import {
  type AlertCase,
  falling,
  from,
  HOUR,
  once,
  rising,
  type Series,
  series,
  steady,
} from './series.ts'

const tableBytes = (table: string) => series('table_bytes', { table })
/** As node_exporter names it. */
const disk = (what: 'avail' | 'size') =>
  `node_filesystem_${what}_bytes{instance="db", job="database-host", mountpoint="/var/lib/postgresql"}`

export const HEALTHY_DATABASE: Series = {
  [series('backup_last_seconds')]: once(20 * HOUR),
  [series('backup_rehearsed_last_seconds')]: once(30 * 24 * HOUR),
  [series('backup_archive_failing')]: steady(0),
  [series('partitions_ahead', { table: 'webhooks.attempt' })]: steady(7),
  // Ten megabytes a minute are usual here.
  [tableBytes('webhooks.attempt')]: rising(5e9, 1e7),
  [tableBytes('ledger.posting')]: steady(5e9),
  // Of 100 GB 40 are free, and 1 GB is taken in a day.
  [disk('avail')]: falling(4e10, 7e5),
  [disk('size')]: steady(1e11),
  [series('db_history_changes_total')]: steady(0),
  [series('db_synchronous_standbys')]: steady(1),
}

export const DATABASE_CASES: readonly AlertCase[] = [
  {
    name: 'the last standby that commits waited for is gone',
    series: { [series('db_synchronous_standbys')]: from(60, 1, 0) },
    at: 63,
    fires: { NoSynchronousStandby: [{}] },
  },
  {
    name: 'a database that has never had such a standby',
    series: { [series('db_synchronous_standbys')]: steady(0) },
    fires: {},
  },
  {
    name: 'a standby was promoted ten minutes ago',
    series: { [series('db_history_changes_total')]: from(65, 0, 1) },
    at: 75,
    fires: { HistoryChanged: [{}] },
  },
  {
    name: 'the database was not copied for more than a day',
    series: { [series('backup_last_seconds')]: once(27 * HOUR) },
    fires: { BackupOld: [{}] },
  },
  {
    name: 'no copy was restored for more than a month',
    series: { [series('backup_rehearsed_last_seconds')]: once(36 * 24 * HOUR) },
    fires: { RestoreNotRehearsed: [{}] },
  },
  {
    name: 'the log of the database is not archived',
    series: { [series('backup_archive_failing')]: steady(1) },
    fires: { ArchiveFailing: [{}] },
  },
  {
    name: 'partitions are no longer made',
    series: { [series('partitions_ahead', { table: 'webhooks.attempt' })]: steady(1) },
    at: 20,
    fires: { PartitionMissing: [{ table: 'webhooks.attempt' }] },
  },
  {
    name: 'a month is kept for longer than it should be',
    series: { [series('partitions_overdue', { table: 'webhooks.delivery' })]: steady(1) },
    at: 65,
    fires: { PartitionKept: [{ table: 'webhooks.delivery' }] },
  },
  {
    name: 'a month is removed within an hour',
    series: { [series('partitions_overdue', { table: 'webhooks.delivery' })]: steady(1) },
    at: 50,
    fires: {},
  },
  {
    name: 'the disk of the database fills within ten days',
    series: { [disk('avail')]: falling(4e10, 2.8e6) },
    at: 75,
    fires: {
      DiskFullSoon: [{ instance: 'db', job: 'database-host', mountpoint: '/var/lib/postgresql' }],
    },
  },
  {
    name: 'a new disk fills as quickly, and most of it is free',
    series: { [disk('avail')]: falling(6e10, 5e6) },
    at: 75,
    fires: {},
  },
  {
    name: 'a table grows by gigabytes at once',
    series: { [tableBytes('ledger.posting')]: from(75, 5e9, 8e9) },
    at: 82,
    fires: { TableGrows: [{ table: 'ledger.posting' }] },
  },
]
