// Saves the rows that match the filters as CSV. The browser takes the file as it comes, so it may be of any
// length.
import type { ExportName, ExportQuery } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { ROUTES } from '../api/routes.ts'
import { texts } from '../texts/en.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'

const words = texts.kit.export

interface ExportProps {
  readonly what: ExportName
  readonly title: string
  /** Parameters of the list; those that an export does not know are left out. */
  readonly query: Readonly<Record<string, string>>
}

const FILTERS = {
  trades: ['status', 'type', 'from', 'to'],
  ledger: ['status', 'type', 'walletType', 'from', 'to'],
  deposits: ['status', 'method', 'from', 'to'],
  withdrawals: ['status', 'from', 'to'],
  audit: ['from', 'to'],
} as const satisfies Readonly<Record<ExportName, readonly (keyof ExportQuery)[]>>

export function Export({ what, title, query }: ExportProps) {
  const [isOpen, setOpen] = useState(false)
  const filters = Object.fromEntries(
    FILTERS[what].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  )
  const save = async (): Promise<void> => {
    await call('prepareExport', { body: { what, ...filters } as never })
    const link = document.createElement('a')
    link.href = `${ROUTES.downloadExport[1].replace('{what}', what)}?${new URLSearchParams(filters as Record<string, string>)}`
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
          onConfirm={save}
          onClose={() => setOpen(false)}
        >
          <p>{words.text}</p>
        </Confirm>
      )}
    </>
  )
}
