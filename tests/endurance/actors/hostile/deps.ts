// What the parts of the attack share.

import type { Client } from '../../../support/client.ts'
import type { SandboxCall } from '../../../support/sandbox-call.ts'
import type { Dice } from '../../dice.ts'
import type { Tally } from './tally.ts'

export interface AttackDeps {
  readonly tally: Tally
  readonly throwDice: Dice
}

/** Of the hostile merchant, whose counterparts do what the sandbox is asked for. */
export interface MerchantAttackDeps extends AttackDeps {
  readonly merchant: Client
  readonly control: SandboxCall
}
