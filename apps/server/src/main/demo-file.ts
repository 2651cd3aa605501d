// `demo.json`: the addresses and keys of the demo, for people and scripts on this machine.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DemoCredentials } from '#demo'
import { writeAtomically } from './data-folder.ts'

export interface DemoAddresses {
  readonly dashboardUrl: string
  readonly baseUrl: string
  readonly metricsUrl: string
  readonly sandboxUrl: string | null
}

/** Written anew at every start, because ports may have changed; readable by its owner alone. */
export function writeDemoFile(
  path: string,
  { baseUrl, dashboardUrl, metricsUrl, sandboxUrl }: DemoAddresses,
  { merchant, partner, admin }: DemoCredentials,
): void {
  const demo = {
    baseUrl,
    metricsUrl,
    dashboardUrl,
    docsUrl: `${baseUrl}/docs`,
    sandboxUrl,
    merchant,
    partner,
    admin,
  }
  writeAtomically(path, `${JSON.stringify(demo, null, 2)}\n`)
}

/** Where people reach the demo that runs, or ran last, on this data folder; null without one. */
export function readDemoOrigin(dataDir: string): string | null {
  try {
    const { dashboardUrl } = JSON.parse(
      readFileSync(join(dataDir, 'demo.json'), 'utf8'),
    ) as DemoAddresses
    return new URL(dashboardUrl).origin
  } catch {
    return null
  }
}
