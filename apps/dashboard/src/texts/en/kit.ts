// Texts of tables, filters, charts and dialogs.
export const kit = {}
