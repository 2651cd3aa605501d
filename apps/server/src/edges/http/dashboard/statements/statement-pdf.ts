// A statement as PDF: A4, tagged, with its font in it, so that readers, screen readers and archives take it.
// Loads the PDF library: only the background thread imports this file.
import { createRequire } from 'node:module'
import { MARK_PATH, MARK_RADIUS } from '@tradepost/look/mark'
import { COLOURS } from '@tradepost/look/tokens'
import PDFDocument from 'pdfkit'
import { cents, sumCents } from '#kernel/money'
import { amountText, type StatementFile } from './statement-file.ts'

const { resolve } = createRequire(import.meta.url)
const REGULAR = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')
const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')

/** The library's types do not have it. */
const UNIVERSAL = 'PDF/UA' as PDFKit.Mixins.PDFSubsets

const MARGIN = 56
const FOOT_HEIGHT = 20
const ROW_HEIGHT = 20
/** Its name, head, balances, totals and fees. */
const HEIGHT_OF_A_WALLET = 160
/** On paper: the light theme. */
const INK = COLOURS.ink.light
const GREY = COLOURS['ink-2'].light
const LINE = COLOURS.control.light
/** Of the mark, which is drawn in a box of 32 units. */
const MARK_HEIGHT = 20

type Doc = PDFKit.PDFDocument
type Section = PDFKit.PDFStructureElement
type WalletMonth = StatementFile['statement']['wallets'][number]

export async function statementPdf(file: StatementFile): Promise<Uint8Array> {
  const title = titleOf(file)
  const doc = new PDFDocument({
    ...{
      size: 'A4',
      margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT_HEIGHT },
    },
    ...{ pdfVersion: '1.7', subset: UNIVERSAL, tagged: true, lang: 'en', displayTitle: true },
    ...{ font: REGULAR, bufferPages: true },
    info: {
      Title: title,
      Author: file.house.name,
      CreationDate: file.madeAt,
      ModDate: file.madeAt,
    },
  })
  const chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((end, fail) => doc.once('end', end).once('error', fail))
  const root = doc.struct('Document')
  doc.addStructure(root)
  addHead(doc, root, file, title)
  for (const wallet of file.statement.wallets) addWallet(doc, root, wallet, file.earner)
  root.end()
  addFeet(doc, file)
  doc.end()
  await ended
  return Buffer.concat(chunks)
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
]
const titleOf = ({ statement: { month } }: StatementFile): string =>
  `Account statement ${MONTHS[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`

const secondOf = (at: Date): string =>
  `${at.toISOString().slice(0, 10)} ${at.toISOString().slice(11, 19)} UTC`

function addHead(
  doc: Doc,
  root: Section,
  { house, account, statement, madeAt }: StatementFile,
  title: string,
): void {
  const { month, number, isClosed } = statement
  const [year, nth] = month.split('-').map(Number) as [number, number]
  const lastDay = new Date(Date.UTC(year, nth, 0)).toISOString().slice(0, 10)
  addMark(doc)
  write(doc, root, 'P', () => doc.font(BOLD).fontSize(11).fillColor(INK).text(house.name))
  for (const line of house.address) {
    write(doc, root, 'P', () => doc.font(REGULAR).fontSize(9).fillColor(GREY).text(line))
  }
  doc.moveDown(2)
  write(doc, root, 'H1', () => doc.font(BOLD).fontSize(18).fillColor(INK).text(title))
  doc.moveDown(0.6)
  const details = [
    ['Number', number ?? 'not yet numbered: the month is not over'],
    ['Account', account.name],
    ['Account ID', account.id],
    [
      'Period',
      isClosed ? `${month}-01 to ${lastDay}, UTC` : `from ${month}-01 to ${secondOf(madeAt)}`,
    ],
    ['Issued', secondOf(madeAt)],
  ] as const
  doc.fontSize(9)
  doc.table({
    structParent: root,
    columnStyles: [90, '*'],
    defaultStyle: { border: 0, padding: [2, 4, 2, 0] },
    data: details.map(([name, value]) => [
      { text: name, type: 'TH', scope: 'Row', textColor: GREY, font: { src: REGULAR, size: 9 } },
      { text: value, font: { src: REGULAR, size: 9 } },
    ]),
  } as PDFKit.Mixins.TableOptionsWithData)
}

/** At the right of the head. It says nothing that the text does not. */
function addMark(doc: Doc): void {
  const scale = MARK_HEIGHT / 32
  doc.markContent('Artifact', { type: 'Layout' } as PDFKit.Mixins.MarkingOptions)
  doc.save()
  doc.translate(doc.page.width - MARGIN - MARK_HEIGHT, MARGIN - 4).scale(scale)
  doc.roundedRect(0, 0, 32, 32, MARK_RADIUS).fill(COLOURS.accent.light)
  doc.path(MARK_PATH).fill(COLOURS.white.light)
  doc.restore()
  doc.endMarkedContent()
}

function addWallet(
  doc: Doc,
  root: Section,
  wallet: WalletMonth,
  earner: StatementFile['earner'],
): void {
  const { kind, currency, opening, closing, rows, fees } = wallet
  // A wallet is on one page: it has a row for each type, and few types.
  const height = HEIGHT_OF_A_WALLET + rows.length * ROW_HEIGHT
  if (doc.y + height > doc.page.height - MARGIN - FOOT_HEIGHT) doc.addPage()
  doc.moveDown(2)
  const name = kind === 'spot' ? 'Spot wallet' : 'Earnings wallet'
  doc.x = MARGIN
  write(doc, root, 'H2', () => doc.font(BOLD).fontSize(12).text(`${name}, ${currency}`))
  doc.moveDown(0.4)
  const total = (side: 'credit' | 'debit'): string =>
    amountText(sumCents(rows.map((row) => row[side])))
  const head = ['Type', 'Entries', 'Credit', 'Debit', 'Balance']
  const lines: readonly (readonly string[])[] = [
    ['Opening balance', '', '', '', amountText(opening)],
    ...rows.map(({ type, count, credit, debit }) => [
      ...[nameOf(type), String(count), amountText(credit), amountText(debit), ''],
    ]),
    ['Total of credits and debits', '', total('credit'), total('debit'), ''],
    ['Closing balance', '', '', '', amountText(closing)],
  ]
  const isBold = (line: readonly string[]): boolean =>
    line[4] !== '' || line[0]?.startsWith('Total') === true
  const cell = (text: string, column: number, src: string, more: object = {}) => ({
    ...{ text, font: { src, size: 9 }, align: { x: column === 0 ? 'left' : 'right', y: 'center' } },
    ...more,
  })
  doc.font(REGULAR).fontSize(9).fillColor(INK)
  doc.table({
    structParent: root,
    columnStyles: ['*', 60, 85, 85, 85],
    defaultStyle: { border: [0, 0, 0.5, 0], borderColor: LINE, padding: [4, 4, 4, 4] },
    data: [
      head.map((text, column) => cell(text, column, BOLD, { type: 'TH', scope: 'Column' })),
      ...lines.map((line) =>
        line.map((text, column) =>
          cell(
            text,
            column,
            isBold(line) ? BOLD : REGULAR,
            column === 0 ? { type: 'TH', scope: 'Row' } : {},
          ),
        ),
      ),
    ],
  } as PDFKit.Mixins.TableOptionsWithData)
  if (kind !== 'spot') return
  doc.moveDown(0.6)
  doc.x = MARGIN
  const of = (amount: bigint): string => `${amountText(cents(amount))} ${currency}`
  write(doc, root, 'P', () =>
    doc
      .font(REGULAR)
      .fontSize(9)
      .text(
        `Fees within the prices of the account’s own trades that settled in the month: service ${of(fees.house)}, ${earner} ${of(fees.merchant)}.`,
      ),
  )
}

/** `trade_payment` as `Trade payment`. */
const nameOf = (type: string): string => {
  const words = type.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The number of a page is no part of the text: readers that follow the tags leave it out. */
function addFeet(doc: Doc, { house, statement }: StatementFile): void {
  const { start, count } = doc.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    doc.switchToPage(start + page)
    // Below the margin text would begin another page.
    doc.page.margins.bottom = 0
    doc.markContent('Artifact', { type: 'Pagination' } as PDFKit.Mixins.MarkingOptions)
    const y = doc.page.height - MARGIN
    const width = doc.page.width - 2 * MARGIN
    doc.font(REGULAR).fontSize(8).fillColor(GREY)
    const left = `${house.name} · ${statement.number ?? statement.month}`
    doc.text(left, MARGIN, y, { width, lineBreak: false })
    doc.text(`Page ${page + 1} of ${count}`, MARGIN, y, { width, align: 'right', lineBreak: false })
    doc.endMarkedContent()
  }
}

function write(doc: Doc, parent: Section, type: 'H1' | 'H2' | 'P', text: () => unknown): void {
  const element = doc.struct(type)
  parent.add(element)
  element.add(() => {
    text()
  })
  element.end()
}
