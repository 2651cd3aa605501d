// Makes every generated file again; with --check it only tells which of them are stale.
await import('./openapi.ts')
await import('./errors-page.ts')
await import('./events-page.ts')
await import('./states-page.ts')
await import('./configuration-page.ts')
await import('./schema.ts')
