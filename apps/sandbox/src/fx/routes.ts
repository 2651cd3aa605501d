import type { FastifyInstance } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { publicationDay, ratesOf } from './rates.ts'

/** The European Central Bank's daily reference rates, in the shape of its own file. */
export function serveRates(
  app: FastifyInstance,
  { clock, seed }: { readonly clock: Clock; readonly seed: number },
): void {
  app.get('/stats/eurofxref/eurofxref-daily.xml', (_request, reply) =>
    reply.type('text/xml').send(renderRates(publicationDay(clock.nowMs()), seed)),
  )
}

function renderRates(day: string, seed: number): string {
  const cubes = ratesOf(day, seed)
    .map(([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`)
    .join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${day}'>
${cubes}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>
`
}
