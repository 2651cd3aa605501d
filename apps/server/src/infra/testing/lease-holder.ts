// A process that holds a lease: for each line that it reads it prints how much of it is left.
import { createInterface } from 'node:readline'
import { openDb } from '../database/db.ts'
import { createBeginLease } from '../database/leases.ts'
import { systemClock } from '../process/clock.ts'

const { LEASE_DATABASE_URL: url = '', LEASE_MS } = process.env
const db = openDb({ url, poolSize: 1 })
const begin = createBeginLease({ db, clock: systemClock })
const lease = await begin(Number(LEASE_MS))
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${lease.remainingMs()}\n`)
}
