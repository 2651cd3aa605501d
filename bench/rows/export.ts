// A merchant's ledger of a million rows as CSV, from the request to the whole file, beside COPY TO STDOUT of
// the same query into a file; and what the exports add to the memory of the API process.
import { join } from 'node:path'
import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { exportLedger, ledgerExport } from '../../apps/server/src/modules/money/ledger/index.ts'
import { tradeIdOf } from '../../apps/server/src/modules/trading/trades/index.ts'
import { auditBooks, ORIGINAL } from '../installation/installation.ts'
import { seedLedger } from '../installation/ledger.ts'
import { logIn } from '../installation/session.ts'
import { startHelper } from '../ipc.ts'
import { forgetPeakOf, memoryOf } from '../machine.ts'
import { compare, type Side } from '../rounds.ts'
import type { SaveMethods } from '../servers/save.ts'
import { type Line, type RunRow, rateLine } from './row.ts'

const AIM = 0.5
const MAX_GROWTH_MB = 200

export const runExport: RunRow = async ({ installation, rounds, isQuick, say }) => {
  const name = 'bench_export'
  const url = await installation.clone(ORIGINAL, name)
  const { merchantId, rows } = await seedLedger(url, { count: isQuick ? 100_000 : 1_000_000, say })
  const api = await installation.startApi(url)
  const saver = startHelper<SaveMethods>(`${import.meta.dirname}/../servers/save.ts`)
  try {
    const origin = `http://127.0.0.1:${api.port}`
    // One session for all rounds: an export asks for a factor of the last ten minutes.
    const cookie = await logIn(origin, installation.login)
    const result = (seconds: number) => ({
      ...{ count: rows, perSecond: rows / seconds, p50Ms: Number.NaN, p99Ms: Number.NaN },
    })
    let bytes = 0
    const ours: Side = {
      pid: null,
      run: async () => {
        const saved = await saver.call('download', {
          ...{ url: `${origin}/dashboard/api/exports/ledger`, cookie },
          file: join(installation.folder, 'ours.csv'),
        })
        if (saved.rows !== rows) throw new Error(`${saved.rows} rows were saved`)
        bytes = saved.bytes
        return result(saved.seconds)
      },
    }
    const query = await exportOf(url, merchantId)
    const peer: Side = {
      pid: null,
      run: async () => {
        const file = join(installation.folder, 'peer.csv')
        const copied = await saver.call('copy', { databaseUrl: url, ...query, file })
        if (copied.rows !== rows) throw new Error(`${copied.rows} rows were copied`)
        return result(copied.seconds)
      },
    }
    const { residentMb } = memoryOf(api.pid)
    forgetPeakOf(api.pid)
    const compared = await compare({ ours, peer }, { rounds, say })
    const { peakMb } = memoryOf(api.pid)
    await auditBooks(url)
    const many = rows.toLocaleString('en')
    const note = `rows a second into a file of ${Math.round(bytes / 1e6)} MB; both sides are saved by the same process`
    return [
      rateLine(`CSV export of ${many} ledger rows`, compared, { ratio: AIM }, note),
      memoryLine({ many, residentMb, peakMb }),
    ]
  } finally {
    await Promise.all([api.stop(), saver.stop()])
    await installation.drop(name)
  }
}

/** What the route copies, with its values as texts. */
async function exportOf(
  url: string,
  merchantId: string,
): Promise<{ readonly text: string; readonly values: (string | null)[] }> {
  const db = openDb({ url, poolSize: 1, applicationName: 'bench export' })
  try {
    const filter = { type: null, status: null, from: null, to: null }
    const asked = { ownerId: merchantId, kind: 'spot', scopeId: merchantId, filter } as const
    const found = await ledgerExport(db, exportLedger(tradeIdOf), asked)
    if (found === null) throw new Error('the merchant has no wallet')
    const values = found.values.map((value) => (value === null ? null : String(value)))
    return { text: found.statement.text, values }
  } finally {
    await db.close()
  }
}

function memoryLine(measured: {
  readonly many: string
  readonly residentMb: number
  readonly peakMb: number
}): Line {
  const { many, residentMb, peakMb } = measured
  const growth = peakMb - residentMb
  return {
    path: `memory that exports of ${many} ledger rows add to the API process`,
    ours: `${Math.round(growth)} MB`,
    peer: '',
    ratio: '',
    aim: `≤ ${MAX_GROWTH_MB} MB`,
    reached: growth <= MAX_GROWTH_MB,
    scatter: null,
    note: `the kernel's peak of resident memory (VmHWM) over all exports of the row, one after the other, ${Math.round(peakMb)} MB, less what was resident (VmRSS) after start and log-in, ${Math.round(residentMb)} MB`,
    rounds: null,
  }
}
