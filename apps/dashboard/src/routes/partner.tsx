/** Pages of a partner. */
export const partnerRoutes = [] as const
