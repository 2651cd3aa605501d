// What a person at a terminal sees of a start. Where the output is kept, it is lines of the log.
import type { Log } from '#infra/process/log'

/** Says what is being done, and how long it took. */
export type Progress = <T>(
  step: string,
  work: (report: (detail: string) => void) => Promise<T>,
) => Promise<T>

export function createProgress(
  log: Log,
  output: { readonly isTTY?: boolean; write(text: string): unknown },
): Progress {
  if (!output.isTTY) {
    return (step, work) => {
      log.info({ step }, 'starting')
      return work((detail) => log.info({ step, detail }, 'starting'))
    }
  }
  return async (step, work) => {
    const startedAt = performance.now()
    output.write(`  ${step} ...`)
    let open = true
    const result = await work((detail) => {
      output.write(`${open ? '\n' : ''}    ${detail}\n`)
      open = false
    })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    output.write(open ? ` ${seconds} s\n` : `  ${step}: ${seconds} s\n`)
    return result
  }
}

/** The last words of a start: where everything is, and what to try first. */
export function welcome(details: {
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly metricsUrl: string
  readonly sandboxUrl: string | null
  readonly demoFile: string | null
}): string {
  const { baseUrl, dashboardUrl, metricsUrl, sandboxUrl, demoFile } = details
  const rows = [
    ['Service', baseUrl],
    ['Dashboard', dashboardUrl],
    ['Documentation', `${baseUrl}/docs`],
    ...(sandboxUrl === null ? [] : [['Sandbox', sandboxUrl]]),
    ['Metrics', `${metricsUrl}/metrics`],
    ...(demoFile === null ? [] : [['Demo keys', demoFile]]),
  ]
  const table = rows.map(([name = '', value]) => `  ${name.padEnd(15)}${value}`).join('\n')
  return `\nTradepost is ready.\n\n${table}\n${demoFile === null ? '' : firstCommand(baseUrl, demoFile)}\n`
}

/** Copied as it stands it must work: no tool but curl and the Node that is here anyway. */
const firstCommand = (baseUrl: string, demoFile: string): string => `
Try it:

  KEY=$(node -p "require('${demoFile.replaceAll("'", "\\'")}').merchant.apiKey")
  curl -s -H "api-key: $KEY" "${baseUrl}/market/search?q=ak+redline&limit=3"
`
