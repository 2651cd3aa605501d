import { useQueryClient } from '@tanstack/react-query'
import type { AdminAccountDetail } from '@tradepost/contract'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { Section } from '../../kit/page.tsx'
import { admin as words } from '../../texts/admin.ts'
import { ReasonDialog } from './reason.tsx'

/** Who repays what the users of a merchant or partner owe. */
export function Debts({ account }: { readonly account: AdminAccountDetail }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { id, recoversDebts } = account
  const act = recoversDebts ? words.leaveDebts : words.recoverDebts
  return (
    <Section title={words.debts}>
      <p>{recoversDebts ? words.debtsRecovered : words.debtsTheirs}</p>
      <div>
        <Button onClick={() => setAsking(true)}>{act}</Button>
      </div>
      {isAsking && (
        <ReasonDialog
          {...{ title: words.debts, act, onClose: () => setAsking(false) }}
          done={words.said.debtsChanged}
          onSubmit={async (reason) => {
            const body = { recoversDebts: !recoversDebts, reason }
            await call('updateAccount', { params: { id }, body })
            await queries.invalidateQueries({ queryKey: ['listAccounts'] })
          }}
        >
          {recoversDebts ? words.debtsTheirs : words.debtsRecovered}
        </ReasonDialog>
      )}
    </Section>
  )
}
