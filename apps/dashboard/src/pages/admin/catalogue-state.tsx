import type { AdminHealth } from '@tradepost/contract'
import { Notice } from '../../kit/notice.tsx'
import { Ago } from '../../kit/time.tsx'
import { admin as words } from '../../texts/admin.ts'

/** The lists that the catalogue is made from: how old they are, and why one was not believed. */
export const CatalogueState = ({
  catalogue: { lists, stubItems },
}: Pick<AdminHealth, 'catalogue'>) => (
  <>
    {lists.map(({ name, goodAt, refused }) => (
      <Notice key={name} tone={refused === null ? 'good' : 'warn'}>
        <p>
          {words.listGood(name)} <Ago at={goodAt} />
        </p>
        {refused !== null && <p>{words.listRefused(refused)}</p>}
      </Notice>
    ))}
    {stubItems > 0 && <Notice tone="warn">{words.stubItems(stubItems)}</Notice>}
  </>
)
