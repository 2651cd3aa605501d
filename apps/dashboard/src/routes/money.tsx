/** Pages of deposits, payouts and custody. */
export const moneyRoutes = [] as const
