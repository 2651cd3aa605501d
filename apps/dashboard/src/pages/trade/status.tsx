import type { ReactNode } from 'react'
import { Section } from '../../kit/page.tsx'
import { Sentence } from '../../kit/sentence.tsx'
import { Text } from '../../kit/text.tsx'
import { texts } from '../../texts/texts.ts'

const words = texts.merchant.trades

interface TradeStatusProps {
  /** Where the money is now, in a sentence. */
  readonly money: string
  readonly items: readonly {
    readonly id: string
    readonly name: string
    readonly where: string
    readonly next: string
    /** Then `next` is its outcome. */
    readonly isOver: boolean
  }[]
  readonly children?: ReactNode
}

/** A trade in words: where its money and each item is, and what happens next. */
export const TradeStatus = ({ money, items, children }: TradeStatusProps) => (
  <Section title={words.statusTitle}>
    <p>
      <strong>{words.moneyNow}</strong> <Sentence>{money}</Sentence>
    </p>
    {items.map(({ id, name, where, next, isOver }) => (
      <p key={id}>
        <strong>
          <Text>{name}</Text>:
        </strong>{' '}
        <Sentence>{where}</Sentence>.
        <br />
        <Sentence>{isOver ? words.outcome(next) : words.nextNow(next)}</Sentence>
      </p>
    ))}
    {children}
  </Section>
)
