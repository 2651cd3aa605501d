// What waits longer than it should, on the command line.
import { listOverdue } from '#operations'
import { AS_JSON, command } from './declare.ts'
import { json, table } from './table.ts'

export const overdueCommand = command(
  'overdue',
  'what waits longer than it should, by kind, the oldest first',
  AS_JSON,
).does(async ({ db, clock }, options) => {
  const kinds = await listOverdue({ db, clock })
  if (options.json) return json(kinds, 2)
  if (kinds.length === 0) return 'Nothing waits longer than it should.'
  const at = clock.now().getTime()
  return kinds
    .map(({ kind, rows, count }) =>
      [
        `${kind}: ${count}${count > rows.length ? `, the oldest ${rows.length} of them` : ''}`,
        table(
          rows.map(({ id, leadsTo, what, since, dueAt }) => ({
            ...{ id: leadsTo ?? id, what, since, due: dueAt },
            'waits s': Math.round((at - since.getTime()) / 1000),
          })),
          ['id', 'what', 'since', 'due', 'waits s'],
        ),
      ].join('\n'),
    )
    .join('\n\n')
})
