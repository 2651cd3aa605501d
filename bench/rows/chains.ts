// The scanner of a chain that catches up: blocks of 200 transfers, 20 of them to us, with 100,000 addresses
// known; beside a loop that fetches the same blocks and logs with viem. And how many addresses are made.

import { ORIGINAL } from '../installation/installation.ts'
import { startHelper } from '../ipc.ts'
import { compare, rateOf, type Side, scatterOf } from '../rounds.ts'
import type { ChainMethods } from '../servers/chains.ts'
import { type Line, type RunRow, rateLine } from './row.ts'

const BLOCKS = 50
const AIM = 0.6
const ADDRESSES = 2000
const ADDRESSES_AIM = 500

export const runChains: RunRow = async ({ installation, rounds, isQuick, say }) => {
  const url = await installation.clone(ORIGINAL, 'bench_chains')
  const helper = startHelper<ChainMethods>(
    `${import.meta.dirname}/../servers/chains.ts`,
    installation,
  )
  const blocks = isQuick ? 10 : BLOCKS
  try {
    await helper.call('open', url, blocks)
    const side = (name: 'ours' | 'peer'): Side => ({
      pid: helper.pid,
      run: async () => timed(blocks, await helper.call(name)),
    })
    const compared = await compare({ ours: side('ours'), peer: side('peer') }, { rounds, say })
    const note = '20 of 200 transfers are ours, and written; no traces on either side'
    const scanning = rateLine('blocks scanned, catching up', compared, { ratio: AIM }, note)
    const count = isQuick ? 200 : ADDRESSES
    const made: ReturnType<typeof timed>[] = []
    await helper.call('provision', count)
    for (let i = 0; i < rounds; i++) made.push(timed(count, await helper.call('provision', count)))
    return [scanning, provisioningLine(made)]
  } finally {
    await helper.call('close')
    await helper.stop()
  }
}

const timed = (count: number, seconds: number) => ({
  count,
  perSecond: count / seconds,
  p50Ms: Number.NaN,
  p99Ms: Number.NaN,
})

function provisioningLine(made: readonly ReturnType<typeof timed>[]): Line {
  const rounds = made.map((round) => ({ ...round, cpuMsEach: null }))
  const rate = rateOf(rounds)
  return {
    path: 'deposit addresses made, 16 at once',
    ours: `${Math.round(rate).toLocaleString('en')}/s`,
    peer: '',
    ratio: '',
    aim: `≥ ${ADDRESSES_AIM}/s`,
    reached: rate >= ADDRESSES_AIM,
    scatter: scatterOf({ ours: rounds, peer: rounds }),
    note: '',
    rounds: { ours: rounds, peer: [] },
  }
}
