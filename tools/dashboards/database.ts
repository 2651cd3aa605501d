// The database as our processes see it, and its copies.
import { type Dashboard, graph, lastHour, most, orNone, rate, since } from './model.ts'

export const DATABASE: Dashboard = {
  name: 'database',
  title: 'Database',
  about: 'Connections, losses, standbys, history, growth and copies of PostgreSQL.',
  rows: [
    {
      title: 'Connections',
      panels: [
        graph('Busy connections', {
          unit: 'count',
          about: 'Of each process and pool. As many as DB_POOL_SIZE for long: it is full.',
          shows: {
            '{{pool}} {{instance}}': most('db_connections', 'pool, instance', 'state="busy"'),
          },
        }),
        graph('Connections that are wanted', {
          unit: 'count',
          about: 'Statements that wait for a connection.',
          shows: {
            '{{pool}} {{instance}}': most('db_connections', 'pool, instance', 'state="wanted"'),
          },
          badAt: 1,
          alerts: ['DatabaseWanted'],
        }),
        graph('Lost to outages', {
          unit: 'perSecond',
          about: 'Failures because the database was lost, by what failed.',
          shows: { '{{what}}': orNone('what', rate('db_losses_total', 'what')) },
        }),
        graph('Listening connections opened again', {
          unit: 'count',
          about: 'In an hour: connections that were lost or went silent.',
          shows: { '{{pool}}': orNone('pool', lastHour('db_listen_reconnects_total', 'pool')) },
        }),
      ],
    },
    {
      title: 'Standbys and history',
      panels: [
        graph('Synchronous standbys', {
          unit: 'count',
          about: 'Standbys that hold every commit before it is acknowledged.',
          shows: { standbys: most('db_synchronous_standbys') },
          alerts: ['NoSynchronousStandby'],
        }),
        graph('Changes of the history', {
          unit: 'count',
          about: 'In an hour: the database went on as another server, or on another timeline.',
          shows: { changes: 'max(increase(tradepost_db_history_changes_total[1h]))' },
          warnAt: 1,
          alerts: ['HistoryChanged', 'PlacingHeldBack'],
        }),
      ],
    },
    {
      title: 'Replica for reads',
      panels: [
        graph('Reads by side', {
          unit: 'perSecond',
          about:
            'Reads that a replica may answer. At the primary: it is behind, lost, or not what it should be.',
          shows: { '{{side}}': orNone('side', rate('db_reads_total', 'side')) },
        }),
        graph('Age of the replica', {
          unit: 'seconds',
          about: 'How old what it shows may be. Above READ_MAX_LAG_MS its reads go to the primary.',
          shows: { '{{instance}}': most('db_replica_lag_seconds', 'instance') },
          badAt: 30,
          alerts: ['ReplicaBehind'],
        }),
      ],
    },
    {
      title: 'Growth',
      panels: [
        graph('Largest tables', {
          unit: 'bytes',
          about:
            'With indexes and partitions, the ten largest. How long each keeps its rows: docs/retention.md.',
          shows: { '{{table}}': `topk(10, ${most('table_bytes', 'table')})` },
        }),
        graph('Growth of tables', {
          unit: 'bytes',
          about:
            'In an hour, the ten that grow most. A day or month that is removed is a step down.',
          shows: { '{{table}}': 'topk(10, max by (table) (delta(tradepost_table_bytes[1h])))' },
          alerts: ['TableGrows'],
        }),
        graph('Days or months with a partition', {
          unit: 'count',
          about:
            'To come; events and deliveries have months. Without one, rows go to the last partition and are kept for longer.',
          shows: { '{{table}}': 'min by (table) (tradepost_partitions_ahead)' },
          badAt: 2,
          isBadBelow: true,
          alerts: ['PartitionMissing'],
        }),
        graph('Days or months that are kept for too long', {
          unit: 'count',
          about: 'Older than what is kept: something in them waits, or they cannot be removed.',
          shows: { '{{table}}': 'max by (table) (tradepost_partitions_overdue)' },
          badAt: 1,
          alerts: ['PartitionKept'],
        }),
        graph('Room on the disk', {
          unit: 'bytes',
          about:
            'Of the host of the database, by node_exporter: add it to targets/database-host.yml.',
          shows: {
            '{{instance}} {{mountpoint}}':
              'min by (instance, mountpoint) (node_filesystem_avail_bytes{job="database-host"})',
          },
          alerts: ['DiskFullSoon'],
        }),
      ],
    },
    {
      title: 'Copies',
      panels: [
        graph('Age of the newest copy', {
          unit: 'seconds',
          about: 'A copy is taken each day.',
          shows: { age: since('backup_last_seconds') },
          badAt: 93_600,
          alerts: ['BackupOld'],
        }),
        graph('Since a copy was restored', {
          unit: 'seconds',
          about: 'A copy that was never restored is none: rehearse each month.',
          shows: { age: since('backup_rehearsed_last_seconds') },
          badAt: 3_024_000,
          alerts: ['RestoreNotRehearsed'],
        }),
        graph('Archive of the log', {
          unit: 'flag',
          about: 'Whether the newest attempt to archive the database’s log failed.',
          shows: { failing: most('backup_archive_failing') },
          badAt: 1,
          alerts: ['ArchiveFailing'],
        }),
      ],
    },
  ],
}
