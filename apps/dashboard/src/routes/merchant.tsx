/** Pages of a merchant: trades, sub-users, wallets, fees, events. */
export const merchantRoutes = [] as const
