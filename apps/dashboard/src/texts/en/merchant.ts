// Texts of a merchant’s pages.
export const merchant = {}
