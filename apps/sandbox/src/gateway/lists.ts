import type { Store } from '../store/store.ts'

/** Whether a look-up lists an order's transactions, or their sum alone. Survives a restart. */
export interface PaymentLists {
  areShown(): boolean
  show(areShown: boolean): void
}

const NAME = 'gateway_payment_lists'

export function createPaymentLists(store: Store): PaymentLists {
  let areShown = store.readSetting(NAME) !== 'hidden'
  return {
    areShown: () => areShown,
    show(next) {
      areShown = next
      store.writeSetting(NAME, next ? 'shown' : 'hidden')
    },
  }
}
