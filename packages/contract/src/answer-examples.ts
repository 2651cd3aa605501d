// Answers of the service on its sandbox, by operation, as the reference shows them. `npm run answers` makes
// them; tests/e2e/answers holds them against the contract.
import merchant from './answers/merchant.json' with { type: 'json' }
import partner from './answers/partner.json' with { type: 'json' }

export const answerExamples: Readonly<
  Record<'merchant' | 'partner', Readonly<Record<string, unknown>>>
> = { merchant, partner }
