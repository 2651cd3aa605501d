import { texts } from '../texts/texts.ts'
import { Button } from './button.tsx'

const words = texts.kit.pager

interface PagerProps {
  readonly page: number
  readonly totalPages: number
  readonly onPage: (page: number) => void
}

/** From page to page of a list with page numbers; nothing where all rows are on one. */
export const Pager = ({ page, totalPages, onPage }: PagerProps) =>
  (totalPages > 1 || page > 1) && (
    <p>
      <Button look="quiet" busy={page <= 1} onClick={() => onPage(page - 1)}>
        {words.previous}
      </Button>{' '}
      {words.pageOf(page, totalPages)}{' '}
      <Button look="quiet" busy={page >= totalPages} onClick={() => onPage(page + 1)}>
        {words.next}
      </Button>
    </p>
  )
