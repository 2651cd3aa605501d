// The merchant interface's view of wallets.
import type {
  FundResponse as FundShape,
  WalletBalance as WalletBalanceShape,
  MerchantWallet as WalletShape,
} from '@tradepost/contract'
import type { Transferred, Wallet } from '#ledger'
import { moneyNumber } from '../money.ts'

export const balanceView = ({ currency, balance }: Wallet): WalletBalanceShape => ({
  currency,
  balance: moneyNumber(balance),
})

export const walletView = (wallet: Wallet): WalletShape => ({
  walletId: wallet.id,
  type: wallet.kind,
  ...balanceView(wallet),
})

export const transferView = ({ transactionId, replayed }: Transferred): FundShape => ({
  transactionId,
  idempotent: replayed,
})
