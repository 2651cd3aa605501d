// Texts of deposits, payouts and custody.
export const money = {}
