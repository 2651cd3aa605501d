// The program of the thread that makes PDF files.
import { answerInBackground } from '#infra/process/background-thread'
import { statementPdf } from './statement-pdf.ts'

answerInBackground(statementPdf)
