// The OpenAPI document of each interface, by the name that it has below /openapi.
import { answerExamples } from './answer-examples.ts'
import { ERRORS } from './errors.ts'
import { orderEvents } from './events/order.ts'
import { webhookEvents } from './events.ts'
import { type OpenApiDocument, openapiDocument } from './openapi.ts'
import { DASHBOARD_INTERFACE } from './openapi-dashboard.ts'
import { PARTNER_INTERFACE } from './openapi-partner.ts'
import { partnerRouteList } from './partner-routes.ts'
import { dashboardRouteList } from './routes/dashboard/index.ts'
import { socketRouteList } from './routes/live.ts'
import { merchantRouteList } from './routes.ts'

const shared = { errors: ERRORS, serverUrl: '/' }

export const openapiDocuments: Readonly<Record<string, () => OpenApiDocument>> = {
  merchant: () =>
    openapiDocument({
      ...shared,
      routes: merchantRouteList,
      sockets: socketRouteList,
      events: webhookEvents,
      answers: answerExamples.merchant,
    }),
  partner: () =>
    openapiDocument({
      ...shared,
      about: PARTNER_INTERFACE,
      routes: partnerRouteList,
      events: orderEvents,
      answers: answerExamples.partner,
    }),
  dashboard: () =>
    openapiDocument({
      ...shared,
      about: DASHBOARD_INTERFACE,
      routes: dashboardRouteList,
      events: {},
    }),
}
