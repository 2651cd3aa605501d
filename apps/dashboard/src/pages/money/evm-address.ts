// Attributes of a field for the address of an account on an EVM chain.
import { EVM_ADDRESS_PATTERN } from '@tradepost/contract/patterns'
import { money } from '../../texts/money.ts'

export const EVM_ADDRESS = {
  pattern: EVM_ADDRESS_PATTERN,
  title: money.payouts.addressForm,
  autoComplete: 'off',
  spellCheck: false,
} as const
