// Saves the rows that match the filters as CSV. The browser takes the file as it comes, so it may be of any
// length.
import type { ExportName } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { ROUTES } from '../api/routes.ts'
import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'

const words = texts.kit.export

interface ExportProps {
  readonly what: ExportName | 'audit_log'
  readonly title: string
  /** Parameters of the list; those that an export does not know are left out. */
  readonly query: Readonly<Record<string, string>>
}

const OF_TRADES = ['status', 'type', 'from', 'to', 'itemName', 'externalId', 'offerId', 'tradeId']
const FILTERS: Readonly<Record<ExportProps['what'], readonly string[]>> = {
  trades: [...OF_TRADES, 'hideResolved', 'subUserId'],
  ledger: ['status', 'type', 'walletType', 'from', 'to', 'userId'],
  deposits: ['status', 'method', 'from', 'to', 'userId'],
  withdrawals: ['status', 'from', 'to', 'externalId', 'userId'],
  audit: ['act', 'actorId', 'subjectId', 'from', 'to'],
  orders: ['status', 'itemName', 'from', 'to', 'childId'],
  transfers: ['from', 'to', 'childId'],
  audit_log: ['actor', 'act', 'accountId', 'subjectId', 'from', 'to'],
}
/** What a list calls a user of the account. */
const USERS: ReadonlySet<string> = new Set(['subUserId', 'childId'])

export function Export({ what, title, query }: ExportProps) {
  const [isOpen, setOpen] = useState(false)
  const filters = Object.fromEntries(
    FILTERS[what].flatMap((name) =>
      query[name] ? [[USERS.has(name) ? 'userId' : name, query[name]]] : [],
    ),
  )
  const save = async (): Promise<void> => {
    const isLog = what === 'audit_log'
    if (isLog) await call('prepareAuditLogExport', { body: filters })
    else await call('prepareExport', { body: { what, ...filters } as never })
    const [, path] = ROUTES[isLog ? 'downloadAuditLogExport' : 'downloadExport']
    const link = document.createElement('a')
    link.href = `${path.replace('{what}', what)}?${new URLSearchParams(filters)}`
    link.download = ''
    link.click()
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.act}</Button>
      {isOpen && (
        <Confirm
          title={words.title(title)}
          act={words.start}
          done={null}
          onConfirm={save}
          onClose={() => setOpen(false)}
        >
          <p>{words.text}</p>
          <p>{words.asText}</p>
        </Confirm>
      )}
    </>
  )
}
