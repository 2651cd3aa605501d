// Every server of this machine has a port of its own.
import { CannotStart } from '#infra/process/cannot-start'
import type { Values } from './settings.ts'

export function refuseSharedPorts(values: Values, metricsPort: number): void {
  const ports = [
    ['PORT', values.PORT],
    ['METRICS_PORT', metricsPort],
    ['SANDBOX_PORT', values.SANDBOX_PORT ?? (values.PORT === 0 ? 0 : values.PORT + 1)],
  ] as const
  for (const [i, [name, port]] of ports.entries()) {
    const other = ports.slice(0, i).find(([, taken]) => taken === port && port !== 0)
    if (other) throw new CannotStart(`${name} must differ from ${other[0]}: both are ${port}.`)
  }
}
