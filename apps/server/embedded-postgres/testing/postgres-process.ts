// A process that owns an embedded PostgreSQL, to be killed by a test: `postgres-process.ts <folder>`.
import { startPostgres } from '../postgres.ts'

const postgres = await startPostgres({ folder: process.argv[2] ?? '', sharedBuffersMb: 16 })
process.on('SIGTERM', () => {
  void postgres.stop().then(() => process.exit(0))
})
console.log(JSON.stringify({ url: postgres.url, pid: postgres.pid() }))
