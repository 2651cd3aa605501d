// Generates every generated file; with --check it only reports which of them are stale.
await import('./openapi.ts')
await import('./dashboard-routes.ts')
await import('./errors-page.ts')
await import('./events-page.ts')
await import('./states-page.ts')
await import('./configuration-page.ts')
await import('./modules-table.ts')
await import('./contracts.ts')
