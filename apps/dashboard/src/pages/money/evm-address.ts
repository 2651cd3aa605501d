// Attributes of a field for the address of an account on an EVM chain (EIP-55 without its checksum).
import { money } from '../../texts/money.ts'

export const EVM_ADDRESS = {
  pattern: '\\s*0x[0-9a-fA-F]{40}\\s*',
  title: money.payouts.addressForm,
  autoComplete: 'off',
  spellCheck: false,
} as const
