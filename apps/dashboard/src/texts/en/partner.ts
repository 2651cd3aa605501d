// Texts of a partner’s pages.
export const partner = {}
