// Deposits: what it does for the other modules and the edges.
export type {
  CallContext,
  CreateAnswer,
  DepositCurrency,
  GatewayCurrency,
  GatewayOrder,
  GatewayRate,
  NoticeAnswer,
  OnrampOrder,
  OnrampPayCurrency,
  OnrampProvider,
  OnrampQuote,
  PaymentGateway,
  Read,
} from './ports.ts'
export type { Transfer, TransferCredit, TransferFailure } from './transfer.ts'
