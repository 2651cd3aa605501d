// The button that leads to a new deposit, on the pages of deposits and of wallets.
import { useNavigate } from '@tanstack/react-router'
import { Button } from '../../kit/button.tsx'
import { useCapability } from '../../queries/session.ts'
import { money } from '../../texts/money.ts'

export function PayInButton() {
  const navigate = useNavigate()
  if (!useCapability('money.write')) return null
  const open = () => navigate({ to: '/deposits/new/{-$way}', params: { way: undefined } })
  return (
    <Button look="main" onClick={() => void open()}>
      {money.deposits.payIn}
    </Button>
  )
}
